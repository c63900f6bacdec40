import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import {
  formatTime,
  type LogEntry,
  SIGNATURE_NAMESPACE,
  type SignedAction,
} from '@bindery/contract/signatures';
import { routes } from '@bindery/contract/wire';
import type { Client } from '../client/client.ts';
import { BinderyError } from '../failures.ts';
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
  const child = spawn('ssh-keygen', ['-Y', 'sign', '-n', SIGNATURE_NAMESPACE, '-f', key], {
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(signal ? { signal } : {}),
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  // It may end before it has read the statement.
  child.stdin.on('error', () => {});
  child.stdin.end(statement);
  try {
    const [signature, messages, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (code === 0) return signature;
    throw signingFailed(`ssh-keygen says: ${messages.trim().split('\n').at(-1)}`);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw isMissing ? signingFailed('ssh-keygen of OpenSSH 8.2 or newer is not installed.') : error;
  }
}

function signingFailed(why: string): BinderyError {
  return new BinderyError('signing_failed', `Nothing was signed: ${why}`);
}
