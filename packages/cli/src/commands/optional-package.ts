import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandError } from '../output/command-error.ts';
import { EXIT } from '../output/exit-codes.ts';
import { VERSION } from '../version.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** Parts of Bindery that are separate packages, so that a client installation stays small. */
export type OptionalPackage = '@bindery/encoder' | '@bindery/render' | '@bindery/server';

/**
 * Loads a part that may not be installed. Throws `CommandError` (`package_missing`), which says what needs it and which
 * command installs it.
 */
export async function optionalPackage<T>(
  name: OptionalPackage,
  purpose: string,
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    throw new CommandError(EXIT.usage, 'package_missing', `${purpose} needs the package ${name}.`, {
      next: `Run: ${installCommand(name, VERSION, HERE)}`,
      cause: error,
    });
  }
}

/** Returns how to install a package where the file `from` finds it: globally, with npx, or in a project. */
export function installCommand(name: OptionalPackage, version: string, from: string): string {
  const [root = '', inside] = from.split(/[\\/]node_modules[\\/]/);
  if (inside === undefined) return 'npm install, in the clone';
  if (/[\\/]_npx[\\/]/.test(root)) {
    return `npx --package @bindery/cli@${version} --package ${name}@${version} -- bindery …`;
  }
  return `npm install ${existsSync(join(root, 'package.json')) ? '' : '--global '}${name}@${version}`;
}

export function isMissingPackage(error: unknown): boolean {
  return error instanceof CommandError && error.code === 'package_missing';
}

function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(`'${name}'`);
}
