import type { EncoderError } from '@bindery/encoder';
import { CommandError } from '../output/command-error.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';

const EXITS: Readonly<Record<string, ExitCode>> = {
  missing: EXIT.notFound,
  refused: EXIT.permission,
  damaged: EXIT.integrity,
};

/** Converts the failure of a model to a `CommandError`, with what to do about it; returns any other error as it is. */
export function asModelError(error: unknown, next?: string): unknown {
  if (!isEncoderError(error)) return error;
  const { failure, message } = error;
  return new CommandError(EXITS[failure] ?? EXIT.network, `model_${failure}`, message, {
    next,
    cause: error,
  });
}

/** Checks the shape of the error, so that the encoder need not be loaded. */
function isEncoderError(error: unknown): error is EncoderError {
  return error instanceof Error && 'failure' in error && typeof error.failure === 'string';
}
