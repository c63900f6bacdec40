import type { EncoderError } from '@bindery/encoder';
import { CommandError } from '../output/command-error.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';

const EXITS: Readonly<Record<string, ExitCode>> = {
  missing: EXIT.notFound,
  refused: EXIT.permission,
  damaged: EXIT.integrity,
};

/**
 * A failure of a model in the words and exit codes of the command line, with what may be done about it; any other
 * error as it is.
 */
export function asModelError(error: unknown, next?: string): unknown {
  if (!isEncoderError(error)) return error;
  const { failure, message } = error;
  return new CommandError(EXITS[failure] ?? EXIT.network, `model_${failure}`, message, {
    next,
    cause: error,
  });
}

/** Told by its shape, so that naming the failure does not load the encoder. */
function isEncoderError(error: unknown): error is EncoderError {
  return error instanceof Error && 'failure' in error && typeof error.failure === 'string';
}
