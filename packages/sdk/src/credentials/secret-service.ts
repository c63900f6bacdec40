import { runTool } from './system-tool.ts';
import { ACCOUNT_NAME, SERVICE_NAME, type TokenStore, TokenStoreUnavailableError } from './token-store.ts';

/** The Secret Service of a Linux desktop (GNOME Keyring, KWallet, KeePassXC) through `secret-tool`. */
export function secretService(environment: NodeJS.ProcessEnv, account = ACCOUNT_NAME): TokenStore {
  /** By these, Python's `keyring` also looks up an entry. */
  const attributes = ['service', SERVICE_NAME, 'username', account];
  const run = (args: string[], input?: string) =>
    runTool('secret-tool', args, { environment, ...(input === undefined ? {} : { input }) });

  async function read(): Promise<string | null> {
    const { code, stdout, stderr } = await run(['lookup', ...attributes]);
    if (code === 0) return stdout.trim() || null;
    if (stderr.trim() === '') return null;
    throw unavailable(stderr);
  }

  async function clear(): Promise<boolean> {
    const wasThere = (await read()) !== null;
    const { code, stderr } = await run(['clear', ...attributes]);
    if (code !== 0 && stderr.trim() !== '') throw unavailable(stderr);
    return wasThere;
  }

  return {
    name: 'the Secret Service',
    kind: 'keychain',
    read,
    clear,
    // An entry created by `keyring` has one more attribute and would stay next to the new one.
    async write(token) {
      await clear();
      const { code, stderr } = await run(
        ['store', `--label=Password for '${account}' on '${SERVICE_NAME}'`, ...attributes],
        token,
      );
      if (code !== 0) throw unavailable(stderr);
      if ((await read()) !== token) throw unavailable('it did not store the token');
    },
  };
}

function unavailable(stderr: string): TokenStoreUnavailableError {
  const [line = 'no reason given'] = stderr.trim().split('\n');
  return new TokenStoreUnavailableError(
    'refused',
    `The Secret Service cannot be used: ${line.slice(0, 200)}.`,
  );
}
