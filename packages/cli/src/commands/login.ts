import { hostname } from 'node:os';
import {
  accountOfServer,
  awaitApproval,
  chooseServer,
  createClient,
  exchangeAccessToken,
  isSameServer,
  LoginRefusedError,
  newDeviceSecret,
  readStoredToken,
  startLogin,
  storeToken,
  updateConfig,
} from '@bindery/sdk';
import { defineCommand, flag } from '../command.ts';
import type { Context } from '../context.ts';
import { showApproval } from '../login/show-approval.ts';
import { CommandError } from '../output/command-error.ts';
import { EXIT } from '../output/exit-codes.ts';
import { sanitizeLine } from '../output/text.ts';
import type { Settings } from '../settings.ts';
import { trustCertificateFile } from '../trusted-certificates.ts';
import { USER_AGENT } from '../version.ts';

export const login = defineCommand({
  name: 'login',
  summary: 'Sign in with the browser',
  description:
    'Shows a short code and opens the page where you approve it; no password is typed here. The token is stored in the ' +
    'system keychain, or in an encrypted file if there is none (BINDERY_NO_KEYCHAIN=1: always). The server ' +
    'that you sign in to becomes the default of later commands; logins for other servers stay.',
  inputs: {
    noBrowser: flag('only print the code and the URL; do not open a browser'),
  },
  examples: [
    ['bindery login --api-url https://bindery.example.org', 'the server of your team; later commands use it'],
    ['bindery login', 'again to the same server, or to http://127.0.0.1:7420'],
    ['bindery login --no-browser', 'on a machine without a screen: open the URL on another one'],
  ],
  async run({ noBrowser }, context) {
    const settings = await context.settings();
    for (const server of [settings.server, settings.authServer])
      trustCertificateFile(server, context.environment, (text) => context.output.warn(text));
    const accessToken = await collectAccessToken(context, settings, !noBrowser);
    const server = createClient({ baseUrl: settings.server, userAgent: USER_AGENT, signal: context.signal });
    try {
      const { token, user, namespace, expires_at } = await exchangeAccessToken(server, accessToken);
      await keepEarlierLogin(settings);
      const keptIn = await storeToken(token, settings.storage);
      await rememberServers(settings);
      warnOfOverridingTokens(context, settings);
      return { user, namespace, server: settings.server, expiresAt: expires_at, keptIn };
    } finally {
      await server.close();
    }
  },
  render({ user, namespace, server, keptIn }, output) {
    const who = `${sanitizeLine(user.userName)} (namespace ${sanitizeLine(namespace)})`;
    output.line(`Signed in to ${server} as ${who}. Token stored in ${keptIn}.`);
  },
});

/** Starts a login, shows its code, and waits until it is approved. */
async function collectAccessToken(context: Context, settings: Settings, browser: boolean): Promise<string> {
  const secret = newDeviceSecret();
  const authServer = createClient({
    baseUrl: settings.authServer,
    userAgent: USER_AGENT,
    signal: context.signal,
  });
  try {
    const pending = await startLogin(authServer, secret, `bindery on ${hostname()}`);
    await updateConfig(settings.folder, { device_secret: secret }, settings.storage.warn);
    await showApproval(pending, { output: context.output, environment: context.environment, browser });
    return await awaitApproval(authServer, secret, pending, context.signal);
  } catch (error) {
    if (!(error instanceof LoginRefusedError)) throw error;
    throw new CommandError(EXIT.permission, error.code, error.message, {
      next: 'Run "bindery login" for a new code.',
    });
  } finally {
    await authServer.close();
  }
}

/** The login for another server stays: it moves from the place of the last login to one of its own. */
async function keepEarlierLogin({ config, server, storage }: Settings): Promise<void> {
  const { login_url } = config;
  if (login_url === undefined || isSameServer(login_url, server)) return;
  const earlier = await readStoredToken(storage);
  if (earlier) await storeToken(earlier.token, { ...storage, account: accountOfServer(login_url) });
}

/** Later commands use the server that was signed in to; the token belongs to it alone. */
async function rememberServers({ folder, config, server, authServer, storage }: Settings): Promise<void> {
  const usual = chooseServer({ environment: {}, config });
  const { login_url, other_logins = [] } = config;
  const earlier = [...other_logins, ...(login_url === undefined ? [] : [login_url])];
  const others = [...new Set(earlier)].filter((other) => !isSameServer(other, server));
  await updateConfig(
    folder,
    {
      login_url: server,
      other_logins: others.length > 0 ? others : undefined,
      remote_url: server === usual ? config.remote_url : server,
      auth_url: authServer === server ? undefined : authServer,
    },
    storage.warn,
  );
}

function warnOfOverridingTokens({ environment, output }: Context, { config }: Settings): void {
  if (environment.BINDERY_TOKEN) output.warn('BINDERY_TOKEN is set and is used instead of this login.');
  else if (config.api_key) output.warn('config.json holds an api_key, which is used instead of this login.');
}
