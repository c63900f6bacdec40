import { runTool } from './system-tool.ts';
import { ACCOUNT_NAME, SERVICE_NAME, type TokenStore, TokenStoreUnavailableError } from './token-store.ts';

/** `errSecItemNotFound` as the tool's exit code. */
const NOT_FOUND = 44;
/** Tokens that need no quoting in the tool's command language. */
const PLAIN_TOKEN = /^[A-Za-z0-9._~+/=-]+$/;

/** The login keychain of macOS through `security`. */
export function macosKeychain(environment: NodeJS.ProcessEnv, account = ACCOUNT_NAME): TokenStore {
  const entry = ['-s', SERVICE_NAME, '-a', account];
  const run = (args: string[], input?: string) =>
    runTool('security', args, { environment, ...(input === undefined ? {} : { input }) });

  async function read(): Promise<string | null> {
    const { code, stdout, stderr } = await run(['find-generic-password', ...entry, '-w']);
    if (code === 0) return stdout.trim() || null;
    if (code === NOT_FOUND) return null;
    throw unavailable(stderr);
  }

  return {
    name: 'the login keychain',
    kind: 'keychain',
    read,
    async write(token) {
      if (!PLAIN_TOKEN.test(token)) throw unavailable('the token has characters that it does not accept');
      // `-i` reads commands from standard input, so that the token appears in no argument list.
      const { stderr } = await run(['-i'], `add-generic-password -U ${entry.join(' ')} -w ${token}\n`);
      if ((await read()) !== token) throw unavailable(stderr);
    },
    async clear() {
      let wasThere = false;
      for (let entries = 0; entries < 10; entries++) {
        const { code, stderr } = await run(['delete-generic-password', ...entry]);
        if (code === NOT_FOUND) return wasThere;
        if (code !== 0) throw unavailable(stderr);
        wasThere = true;
      }
      return wasThere;
    },
  };
}

function unavailable(stderr: string): TokenStoreUnavailableError {
  const [line = 'no reason given'] = stderr.trim().split('\n');
  return new TokenStoreUnavailableError(
    'refused',
    `The login keychain cannot be used: ${line.slice(0, 200)}.`,
  );
}
