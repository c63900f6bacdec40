import type { PersonalAccessToken } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import {
  clearStoredToken,
  createClient,
  NO_RETRY,
  readStoredToken,
  revokeToken,
  updateConfig,
} from '@bindery/sdk';
import { defineCommand, flag } from '../command.ts';
import type { Context } from '../context.ts';
import { formatCount, sanitizeLine } from '../output/text.ts';
import type { Settings } from '../settings.ts';
import { USER_AGENT } from '../version.ts';

const TIMEOUT = 5_000;

export const logout = defineCommand({
  name: 'logout',
  summary: 'Sign out and forget the token',
  description:
    'Ends the login on the server if it can be reached, and removes the token from the keychain and the encrypted ' +
    'file. Personal access tokens created with this login are revoked too, after asking, unless they are kept. ' +
    'BINDERY_TOKEN and an api_key in config.json are yours to remove.',
  inputs: {
    keepTokens: flag('keep personal access tokens created with this login'),
    yes: flag('skip the confirmation prompt', { short: '-y' }),
  },
  examples: [
    ['bindery logout', 'sign out'],
    ['bindery logout --keep-tokens', 'sign out of a machine on which you created tokens for others'],
  ],
  async run({ keepTokens, yes }, context) {
    const settings = await context.settings();
    const stored = await readStoredToken(settings.storage);
    const revoked = stored ? await tryRevoke(stored.token, settings, context, { keepTokens, yes }) : false;
    const clearedFrom = await clearStoredToken(settings.storage);
    const { device_secret, login_url } = settings.config;
    if (device_secret !== undefined || login_url !== undefined) {
      const forgotten = { device_secret: undefined, login_url: undefined };
      await updateConfig(settings.folder, forgotten, settings.storage.warn);
    }
    warnOfOtherTokens(context, settings);
    return { signedOut: clearedFrom.length > 0, revoked, clearedFrom };
  },
  render({ signedOut, revoked, clearedFrom }, output) {
    if (!signedOut) return output.line('You were not signed in.');
    const server = revoked ? '' : ' The server could not be reached; the token will expire there by itself.';
    output.line(`Signed out. Token removed from ${clearedFrom.join(' and ')}.${server}`);
  },
});

interface LogoutOptions {
  keepTokens: boolean;
  yes: boolean;
}

/** Ends the login at the server; returns false if the server cannot be reached. Throws if the user declines. */
async function tryRevoke(
  token: string,
  settings: Settings,
  context: Context,
  { keepTokens, yes }: LogoutOptions,
): Promise<boolean> {
  const client = createClient({
    baseUrl: settings.config.login_url ?? settings.server,
    token,
    userAgent: USER_AGENT,
    signal: context.signal,
    retry: NO_RETRY,
  });
  try {
    const listed = await withTimeout(context, (signal) => client.call(routes.login.listTokens, { signal }));
    const ending = keepTokens ? [] : (listed?.tokens ?? []).filter(({ ofThisLogin }) => ofThisLogin);
    if (ending.length > 0) await confirmEnd(ending, context, yes);
    const revoked = await withTimeout(context, async (signal) => {
      await revokeToken(client, { keepPersonalTokens: keepTokens, signal });
      return true;
    });
    return revoked ?? false;
  } finally {
    await client.close();
  }
}

/** Returns the result of a request; null if the request fails or takes too long. */
async function withTimeout<Result>(
  { signal }: Context,
  ask: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | null> {
  try {
    return await ask(AbortSignal.timeout(TIMEOUT));
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

function confirmEnd(tokens: readonly PersonalAccessToken[], context: Context, yes: boolean): Promise<void> {
  const names = tokens.map(({ name }) => `"${sanitizeLine(name)}"`).join(', ');
  const what = formatCount(tokens.length, 'personal access token');
  return context.confirm(
    `Sign out and revoke ${what} created with this login (${names})? --keep-tokens keeps them.`,
    {
      yes,
      nonInteractive: 'refuse',
    },
  );
}

function warnOfOtherTokens({ environment, output }: Context, { config }: Settings): void {
  if (environment.BINDERY_TOKEN) output.warn('BINDERY_TOKEN is still set.');
  if (config.api_key) output.warn('config.json still holds an api_key.');
}
