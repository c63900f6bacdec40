import type { PersonalAccessToken } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import {
  accountOfServer,
  clearStoredToken,
  createClient,
  isSameServer,
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
    const { other_logins = [], ...config } = settings.config;
    const other = other_logins.find((server) => isSameServer(server, settings.server));
    const storage =
      other === undefined ? settings.storage : { ...settings.storage, account: accountOfServer(other) };
    const server = other ?? config.login_url ?? settings.server;
    const stored = await readStoredToken(storage);
    const revoked = stored ? await tryRevoke(stored.token, server, context, { keepTokens, yes }) : false;
    const clearedFrom = await clearStoredToken(storage);
    const remaining = other_logins.filter((one) => one !== other);
    const forgotten =
      other === undefined
        ? { device_secret: undefined, login_url: undefined }
        : { other_logins: remaining.length > 0 ? remaining : undefined };
    if (Object.keys(forgotten).some((key) => settings.config[key] !== undefined))
      await updateConfig(settings.folder, forgotten, settings.storage.warn);
    warnOfOtherTokens(context, settings);
    if (other !== undefined && config.login_url !== undefined) remaining.unshift(config.login_url);
    return { signedOut: clearedFrom.length > 0, revoked, clearedFrom, server, stillSignedInTo: remaining };
  },
  render({ signedOut, revoked, clearedFrom, server, stillSignedInTo }, output) {
    const unreached = revoked
      ? ''
      : ' The server could not be reached; the token will expire there by itself.';
    output.line(
      signedOut
        ? `Signed out of ${server}. Token removed from ${clearedFrom.join(' and ')}.${unreached}`
        : 'You were not signed in.',
    );
    for (const other of stillSignedInTo)
      output.note(`Still signed in to ${other}; "bindery logout --api-url ${other}" signs out there.`);
  },
});

interface LogoutOptions {
  keepTokens: boolean;
  yes: boolean;
}

/** Ends the login at the server; returns false if the server cannot be reached. Throws if the user declines. */
async function tryRevoke(
  token: string,
  server: string,
  context: Context,
  { keepTokens, yes }: LogoutOptions,
): Promise<boolean> {
  const client = createClient({
    baseUrl: server,
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
