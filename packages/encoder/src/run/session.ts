import type { InferenceSession } from 'onnxruntime-node';
import { EncoderError } from '../errors.ts';

type Runtime = typeof import('onnxruntime-node');

/** One ONNX model with one input and the output that is wanted. */
export interface Session {
  runtime: Runtime;
  inference: InferenceSession;
}

/** Loads an ONNX file. Throws `EncoderError`: `missing` without the runtime, `damaged` for a file that it refuses. */
export async function openSession(file: string, threads: number): Promise<Session> {
  const runtime = await importRuntime();
  try {
    const inference = await runtime.InferenceSession.create(file, {
      executionProviders: ['cpu'],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      graphOptimizationLevel: 'all',
      // Memory of a batch goes back when it is done, and threads that wait do not spin.
      enableCpuMemArena: false,
      extra: { session: { intra_op: { allow_spinning: '0' } } },
      logSeverityLevel: 3,
    });
    return { runtime, inference };
  } catch (cause) {
    throw new EncoderError('damaged', `${file} cannot be loaded: ${(cause as Error).message}`, { cause });
  }
}

async function importRuntime(): Promise<Runtime> {
  try {
    return await import('onnxruntime-node');
  } catch (cause) {
    throw new EncoderError(
      'missing',
      'The package onnxruntime-node, which runs models, is not installed here or does not load. Install it with ' +
        `"npm install onnxruntime-node --onnxruntime-node-install=skip". (${(cause as Error).message})`,
      { cause },
    );
  }
}
