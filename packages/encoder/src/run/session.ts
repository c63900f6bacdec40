import { createRequire } from 'node:module';
import type { InferenceSession } from 'onnxruntime-node';
import { EncoderError } from '../errors.ts';

const RUNTIME = 'onnxruntime-node';

/** Only what ends the process is printed; all else is thrown. */
export const SILENT = 4;

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
      logSeverityLevel: SILENT,
    });
    return { runtime, inference };
  } catch (cause) {
    throw new EncoderError('damaged', `${file} cannot be loaded: ${(cause as Error).message}`, { cause });
  }
}

/** Throws `EncoderError` (`missing`) where the package that runs models was left out of the installation. */
export function requireRuntime(): void {
  try {
    createRequire(import.meta.url).resolve(RUNTIME);
  } catch (cause) {
    throw runtimeMissing(cause);
  }
}

async function importRuntime(): Promise<Runtime> {
  try {
    return await import('onnxruntime-node');
  } catch (cause) {
    throw runtimeMissing(cause);
  }
}

function runtimeMissing(cause: unknown): EncoderError {
  const [firstLine] = (cause as Error).message.split('\n');
  return new EncoderError(
    'missing',
    `The package ${RUNTIME}, which runs models, is not installed here or does not load (${firstLine}). ` +
      `"npm install --ignore-scripts ${RUNTIME}" adds it; with --global where Bindery is.`,
    { cause },
  );
}
