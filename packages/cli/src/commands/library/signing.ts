import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { RequiredSignature, TrustedSigners } from '@bindery/sdk/signatures';
import { flag, option } from '../../command.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../output/command-error.ts';
import { localOptions } from './local-options.ts';

export const key = option(
  '<file>',
  'the SSH key that signs, Ed25519; by default ~/.ssh/id_ed25519. A public one is looked up in the agent',
);

export const requireSigned = flag('refuse releases that nobody signed');
export const signers = option(
  '<file>',
  'accept only signatures by the keys of this file, in the format of ssh-keygen',
);

/** What signing needs from the command line. */
export async function signOptions(key: string | undefined, context: Context) {
  const { stateFolder, signal } = await localOptions(context);
  return { key: key ?? join(homedir(), '.ssh', 'id_ed25519'), stateFolder, signal };
}

/** Returns what `--require-signed` and `--signers` ask for. */
export async function requiredSignature(
  isRequired: boolean,
  file: string | undefined,
): Promise<RequiredSignature | undefined> {
  if (file !== undefined && !isRequired) throw usageError('--signers needs --require-signed.');
  return isRequired ? { signers: await readSigners(file) } : undefined;
}

/** Reads the file of `--signers`, if it was given. */
export async function readSigners(file: string | undefined): Promise<TrustedSigners | undefined> {
  if (file === undefined) return undefined;
  const { parseTrustedSigners } = await import('@bindery/sdk/signatures');
  return parseTrustedSigners(await readFile(file, 'utf8'), file);
}
