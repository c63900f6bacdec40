import { type ExecFileException, execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  formatTime,
  type LogEntry,
  SIGNATURE_NAMESPACE,
  type SignedAction,
} from '@bindery/contract/signatures';
import { routes } from '@bindery/contract/wire';
import type { Client } from '../client/client.ts';
import { BinderyError, isSystemError } from '../failures.ts';
import { type LibraryAddress, libraryParams } from '../library/library-address.ts';
import { type KnownLog, readSignatureLog, refusing } from './read-log.ts';

export interface SignOptions {
  stateFolder: string;
  /** A private key of OpenSSH, or a public one whose private key an agent has. */
  key: string;
  signal?: AbortSignal | undefined;
}

/**
 * Adds an entry to the signature log of a library, signed by `ssh-keygen`, which may ask for a passphrase. Throws
 * `SignatureRefusedError` if the log is refused, or the key may not sign; `BinderyError` (`signing_failed`) if there is no
 * signature; and the client's errors, `signature_conflict` if somebody else signed meanwhile.
 */
export async function signEntry(
  client: Client,
  address: LibraryAddress,
  action: SignedAction,
  options: SignOptions,
): Promise<KnownLog> {
  const known = await readSignatureLog(client.baseUrl, address, async () => client, options);
  const { log } = known;
  const statement = log.next(action, formatTime(new Date()));
  const entry: LogEntry = { statement, signature: await sshSign(statement, options) };
  refusing(log.library, () => log.append(entry));
  await client.call(routes.signatures.addSignature, {
    params: libraryParams(address),
    body: entry,
    ...(options.signal ? { signal: options.signal } : {}),
  });
  return readSignatureLog(client.baseUrl, address, async () => client, options);
}

async function sshSign(statement: string, { key, signal }: SignOptions): Promise<string> {
  const words = ['-Y', 'sign', '-n', SIGNATURE_NAMESPACE, '-f', key];
  const running = promisify(execFile)('ssh-keygen', words, signal ? { signal } : {});
  // It may end before it has read the statement.
  running.child.stdin?.on('error', () => {}).end(statement);
  try {
    return (await running).stdout;
  } catch (error) {
    const { code, stderr = '' } = error as ExecFileException;
    if (isSystemError(error, 'ENOENT'))
      throw signingFailed('ssh-keygen of OpenSSH 8.2 or newer is not installed.');
    throw typeof code === 'number' || code === null
      ? signingFailed(`ssh-keygen says: ${stderr.trim().split('\n').at(-1)}`)
      : error;
  }
}

function signingFailed(why: string): BinderyError {
  return new BinderyError('signing_failed', `Nothing was signed: ${why}`);
}
