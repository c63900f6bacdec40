import { text as readText } from 'node:stream/consumers';
import {
  administer,
  BUCKET_URL,
  type Configuration,
  ConfigurationError,
  isBucketUrl,
  readConfiguration,
  ServiceError,
  StartError,
} from '@bindery/server';
import { option, type Parse, text, UsageProblem } from '../command.ts';
import { CommandError, usageError } from '../output/command-error.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';

export const dataDir = option('<dir>', 'data folder of the service (BINDERY_DATA_DIR)', text);

/** Parses the path of a folder, or the URL of a bucket. */
export const folderOrBucket: Parse<string> = (value) => {
  if (!value.includes('://') || isBucketUrl(value)) return text(value);
  throw new UsageProblem(`expected a folder, or ${BUCKET_URL}`);
};

/**
 * Works directly on the service's database, whether the service is running or not. Fails if the data folder holds none,
 * unless the command may `create` it.
 */
export function withDatabase<Result>(
  environment: NodeJS.ProcessEnv,
  dataDir: string | undefined,
  work: Parameters<typeof administer<Result>>[1],
  options?: { create: boolean },
): Promise<Result> {
  return withServiceErrors(async () => administer(configurationOf(environment, dataDir), work, options));
}

/** Reads the service's settings, with the data folder that was typed. Throws `ConfigurationError`. */
export function configurationOf(environment: NodeJS.ProcessEnv, dataDir: string | undefined): Configuration {
  return readConfiguration({ ...environment, ...(dataDir !== undefined && { BINDERY_DATA_DIR: dataDir }) });
}

export async function readPassword(fromStdin: boolean | undefined): Promise<string> {
  if (!fromStdin) {
    throw usageError('The password is read from stdin.', 'Add --password-stdin and pipe the password in.');
  }
  return (await readText(process.stdin)).replace(/\r?\n$/, '');
}

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
