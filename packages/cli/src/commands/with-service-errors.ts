import { ConfigurationError, ServiceError, StartError } from '@bindery/server';
import { CommandError, usageError } from '../output/command-error.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';

const EXIT_BY_STATUS: Record<number, ExitCode> = {
  400: EXIT.usage,
  403: EXIT.permission,
  404: EXIT.notFound,
  409: EXIT.conflict,
};

/** Runs part of the service in this process and turns its failures into those of a command. */
export async function withServiceErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConfigurationError) {
      throw usageError(error.message, 'docs/self-hosting.md lists every setting.');
    }
    if (error instanceof StartError) throw new CommandError(EXIT.network, 'cannot_start', error.message);
    if (error instanceof ServiceError) {
      throw new CommandError(EXIT_BY_STATUS[error.status] ?? EXIT.network, error.code, error.message);
    }
    throw error;
  }
}
