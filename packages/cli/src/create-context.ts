import { type Client, createClient, type FoundToken, findLogin, findToken, usableToken } from '@bindery/sdk';
import { confirmOnTerminal } from './confirm-on-terminal.ts';
import type { Context } from './context.ts';
import type { GlobalOptions } from './global-options.ts';
import { usageError } from './output/command-error.ts';
import type { Output } from './output/output.ts';
import { createProgress } from './progress/progress.ts';
import { readSettings, type Settings } from './settings.ts';
import { notSignedIn, requireSendableToken } from './sign-in-errors.ts';
import { trustCertificateFile } from './trusted-certificates.ts';
import { USER_AGENT } from './version.ts';

export function createContext(parts: {
  output: Output;
  global: GlobalOptions;
  signal: AbortSignal;
  environment: NodeJS.ProcessEnv;
}): Context & { close(): Promise<void> } {
  const { output, global, signal, environment } = parts;
  const identity = { userAgent: USER_AGENT, signal };
  let settings: Promise<Settings> | undefined;
  let found: Promise<FoundToken | null> | undefined;
  let opened: Promise<Client> | undefined;
  const others = new Map<string, Promise<Client>>();

  function readOnce(): Promise<Settings> {
    settings ??= readSettings(global, environment, (text) => output.warn(text));
    return settings;
  }

  function token(): Promise<FoundToken | null> {
    found ??= readOnce().then(({ server, config, storage }) => findToken(server, config, storage));
    return found;
  }

  async function open(): Promise<Client> {
    const { server, minTransferRate } = await readOnce();
    trustCertificateFile(server, environment, (text) => output.warn(text));
    const sent = await token();
    if (sent) requireSendableToken(sent);
    const fresh = sent ? await usableToken(sent, server, identity) : null;
    return createClient({ baseUrl: server, token: fresh, ...identity, minTransferRate });
  }

  function client(): Promise<Client> {
    opened ??= open();
    return opened;
  }

  /** A server named by somebody else's file gets only the login that is stored for this server. */
  async function otherClient(server: string): Promise<Client> {
    const { minTransferRate, config, storage } = await readOnce();
    trustCertificateFile(server, environment, (text) => output.warn(text));
    const login = await findLogin(server, config, storage);
    if (login === null)
      output.note(`${server} is used without signing in; --api-url ${server} uses your token.`);
    const token = login && (await usableToken(login, server, identity));
    return createClient({ baseUrl: server, token, ...identity, minTransferRate });
  }

  async function clientForServer(named: string): Promise<Client> {
    const { server } = await readOnce();
    if (named === server) return client();
    const known = others.get(named);
    if (known !== undefined) return known;
    const other = otherClient(named);
    others.set(named, other);
    return other;
  }

  return {
    output,
    signal,
    environment,
    global,
    progress: createProgress(output),
    settings: readOnce,
    token,
    client,
    clientForServer,
    async signedInClient() {
      const ready = await client();
      if (!ready.authenticated) throw notSignedIn(ready.baseUrl);
      return ready;
    },
    async confirm(question, { yes, nonInteractive }) {
      if (yes) return;
      if (process.stdin.isTTY && process.stderr.isTTY && !output.json) return confirmOnTerminal(question);
      if (nonInteractive === 'go ahead') return;
      throw usageError(`${question} This is not a terminal.`, 'Add --yes to go ahead without a prompt.');
    },
    async close() {
      for (const opening of [opened, ...others.values()]) {
        await (await opening?.catch(() => undefined))?.close();
      }
    },
  };
}
