import {
  clearStoredToken,
  createClient,
  NO_RETRY,
  readStoredToken,
  revokeToken,
  updateConfig,
} from '@bindery/sdk';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import type { Settings } from '../settings.ts';
import { USER_AGENT } from '../version.ts';

const PATIENCE = 5_000;

export const logout = defineCommand({
  name: 'logout',
  summary: 'Sign out and forget the token',
  description:
    'Ends the login at the server where it can be reached, and removes the token from the keychain and the encrypted ' +
    'file. BINDERY_TOKEN and an api_key in config.json are yours to remove.',
  inputs: {},
  examples: [['bindery logout', 'sign out']],
  async run(_, context) {
    const settings = await context.settings();
    const stored = await readStoredToken(settings.storage);
    const revoked = stored ? await tryRevoke(stored.token, settings, context.signal) : false;
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
    if (!signedOut) return output.line('Nobody was signed in.');
    const server = revoked ? '' : ' The server could not be told; the token ends there by itself.';
    output.line(`Signed out. Token removed from ${clearedFrom.join(' and ')}.${server}`);
  },
});

async function tryRevoke(token: string, settings: Settings, signal: AbortSignal): Promise<boolean> {
  const client = createClient({
    baseUrl: settings.config.login_url ?? settings.server,
    token,
    userAgent: USER_AGENT,
    signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
    retry: NO_RETRY,
  });
  try {
    await revokeToken(client);
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  } finally {
    await client.close();
  }
}

function warnOfOtherTokens({ environment, output }: Context, { config }: Settings): void {
  if (environment.BINDERY_TOKEN) output.warn('BINDERY_TOKEN is still set.');
  if (config.api_key) output.warn('config.json still holds an api_key.');
}
