import { createRequire } from 'node:module';
import type { InferenceSession } from 'onnxruntime-node';
import { EncoderError } from '../errors.ts';

const RUNTIME = 'onnxruntime-node';

/** The log severity "fatal": only errors that end the process are printed; all others are thrown. */
export const SILENT = 4;

type Runtime = typeof import('onnxruntime-node');

/** A loaded ONNX model and the runtime that creates its tensors. */
export interface Session {
  runtime: Runtime;
  inference: InferenceSession;
}

/** Loads an ONNX file. Throws `EncoderError`: `missing` without the runtime, `damaged` if it rejects the file. */
export async function openSession(file: string, threads: number): Promise<Session> {
  const runtime = await importRuntime();
  try {
    const inference = await runtime.InferenceSession.create(file, {
      executionProviders: ['cpu'],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      graphOptimizationLevel: 'all',
      // Free the memory of each batch when it is done, and do not let waiting threads spin.
      enableCpuMemArena: false,
      extra: { session: { intra_op: { allow_spinning: '0' } } },
      logSeverityLevel: SILENT,
    });
    return { runtime, inference };
  } catch (cause) {
    throw new EncoderError('damaged', `${file} cannot be loaded: ${(cause as Error).message}`, { cause });
  }
}

/** Throws `EncoderError` (`missing`) if the package that runs models was left out of the installation. */
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
