import { type ExecFileException, execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { isMissing } from './private-files.ts';
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
    throw keychainFailure(stderr);
  }

  return {
    name: 'the login keychain',
    kind: 'keychain',
    read,
    async write(token) {
      if (!PLAIN_TOKEN.test(token)) throw keychainFailure('the token has characters that it does not accept');
      // `-i` reads commands from standard input, so that the token appears in no argument list.
      const { stderr } = await run(['-i'], `add-generic-password -U ${entry.join(' ')} -w ${token}\n`);
      if ((await read()) !== token) throw keychainFailure(stderr);
    },
    async clear() {
      let wasThere = false;
      for (let entries = 0; entries < 10; entries++) {
        const { code, stderr } = await run(['delete-generic-password', ...entry]);
        if (code === NOT_FOUND) return wasThere;
        if (code !== 0) throw keychainFailure(stderr);
        wasThere = true;
      }
      return wasThere;
    },
  };
}

function keychainFailure(stderr: string): TokenStoreUnavailableError {
  const [line = 'no reason given'] = stderr.trim().split('\n');
  return new TokenStoreUnavailableError(
    'refused',
    `The login keychain cannot be used: ${line.slice(0, 200)}.`,
  );
}

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
    throw secretServiceFailure(stderr);
  }

  async function clear(): Promise<boolean> {
    const wasThere = (await read()) !== null;
    const { code, stderr } = await run(['clear', ...attributes]);
    if (code !== 0 && stderr.trim() !== '') throw secretServiceFailure(stderr);
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
      if (code !== 0) throw secretServiceFailure(stderr);
      if ((await read()) !== token) throw secretServiceFailure('it did not store the token');
    },
  };
}

function secretServiceFailure(stderr: string): TokenStoreUnavailableError {
  const [line = 'no reason given'] = stderr.trim().split('\n');
  return new TokenStoreUnavailableError(
    'refused',
    `The Secret Service cannot be used: ${line.slice(0, 200)}.`,
  );
}

/** Time limit for a keychain, in milliseconds; one that prompts on a screen nobody watches would never return. */
const KEYCHAIN_TIMEOUT = 3_000;

/**
 * Runs a system program. Secrets go through `input`, never through `args`, which other users can see. Throws
 * `TokenStoreUnavailableError` if the program is not installed or does not exit in time.
 */
async function runTool(
  program: string,
  args: readonly string[],
  { input = '', environment }: { input?: string; environment: NodeJS.ProcessEnv },
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const limits = { timeout: KEYCHAIN_TIMEOUT, killSignal: 'SIGKILL' } as const;
  const running = promisify(execFile)(program, [...args], { env: environment, ...limits });
  // A program that exits without reading its input explains itself by its exit code.
  running.child.stdin?.on('error', () => {}).end(input);
  try {
    return { code: 0, ...(await running) };
  } catch (error) {
    if (isMissing(error))
      throw new TokenStoreUnavailableError('not installed', `"${program}" is not installed.`, {
        cause: error,
      });
    const { code, killed, stdout = '', stderr = '' } = error as ExecFileException;
    if (killed)
      throw new TokenStoreUnavailableError('no answer', `"${program}" did not answer within three seconds.`);
    if (typeof code === 'number' || code === null) return { code, stdout, stderr };
    throw error;
  }
}
