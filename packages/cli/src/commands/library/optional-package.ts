import { CommandError } from '../../output/command-error.ts';
import { EXIT } from '../../output/exit-codes.ts';

/** Loads a part of Bindery that an installation may lack; the error says what it is wanted for. */
export async function optionalPackage<T>(name: string, purpose: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissingModule(error)) throw error;
    throw new CommandError(
      EXIT.usage,
      'package_missing',
      `${purpose} needs ${name}, which is not installed here.`,
      {
        next: 'Install Bindery with its optional packages (npm install without --omit=optional).',
        cause: error,
      },
    );
  }
}

function isMissingModule(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}
