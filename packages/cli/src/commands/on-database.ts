import { text as readText } from 'node:stream/consumers';
import { administer, readConfiguration } from '@bindery/server';
import { option, text } from '../command.ts';
import { usageError } from '../output/command-error.ts';
import { inService } from './service-failures.ts';

export const dataDir = option('<dir>', 'data folder of the service (BINDERY_DATA_DIR)', text);

/** Works on the service's database itself, with the service running or not. */
export function onDatabase<Result>(
  environment: NodeJS.ProcessEnv,
  dataDir: string | undefined,
  work: Parameters<typeof administer<Result>>[1],
): Promise<Result> {
  return inService(async () => {
    const variables = { ...environment, ...(dataDir !== undefined && { BINDERY_DATA_DIR: dataDir }) };
    return administer(readConfiguration(variables), work);
  });
}

export async function readPassword(fromStdin: boolean | undefined): Promise<string> {
  if (!fromStdin) {
    throw usageError('The password comes from stdin.', 'Add --password-stdin and pipe the password in.');
  }
  return (await readText(process.stdin)).replace(/\r?\n$/, '');
}
