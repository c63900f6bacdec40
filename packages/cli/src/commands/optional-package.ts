import { fileURLToPath } from 'node:url';
import { CommandError } from '../output/command-error.ts';
import { EXIT } from '../output/exit-codes.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** Parts of Bindery that are separate packages, so that a client installation stays small. */
export type OptionalPackage = '@bindery/encoder' | '@bindery/render' | '@bindery/server';

/**
 * Loads a part that may not be installed. Throws `CommandError` (`package_missing`), which says what needs it and how to get it.
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
      next: howToInstall(HERE),
      cause: error,
    });
  }
}

/** Returns what to do where the file `from` is: no registry has the parts, a clone builds all of them. */
export function howToInstall(from: string): string {
  if (!/[\\/]node_modules[\\/]/.test(from)) return 'Run in the clone: npm ci';
  return 'Install Bindery with all of its parts, in a clone: npm ci && npm run packages && deploy/install.sh build/packages ~/.bindery';
}

export function isMissingPackage(error: unknown): boolean {
  return error instanceof CommandError && error.code === 'package_missing';
}

function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(`'${name}'`);
}
