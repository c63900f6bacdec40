import type { FoundToken } from '@bindery/sdk';
import { CommandError, signInAt } from './output/command-error.ts';
import { EXIT } from './output/exit-codes.ts';

export function notSignedIn(server: string): CommandError {
  return new CommandError(EXIT.permission, 'unauthenticated', `You are not signed in to ${server}.`, {
    next: signInAt(server),
  });
}

/** Refuses a token that cannot be sent in a header, as with spaces or line ends, without showing it. */
export function requireSendableToken({ token, sourceName }: Pick<FoundToken, 'token' | 'sourceName'>): void {
  if (/^[\x21-\x7e]+$/.test(token)) return;
  throw new CommandError(
    EXIT.permission,
    'invalid_token',
    `The token from ${sourceName} has invalid characters.`,
    {
      next: 'Copy it again, without spaces and line breaks.',
    },
  );
}
