import type { Manifest, ManifestFile } from '@bindery/contract';
import type { ReleaseSignature } from '@bindery/contract/signatures';
import { openCache } from '../cache/object-cache.ts';
import type { Client } from '../client/client.ts';
import { IntegrityError, sentenceWithPaths } from '../failures.ts';
import { formatLibraryAddress, type LibraryAddress } from '../library/library-address.ts';
import { filesOf } from '../library/manifest.ts';
import { downloadManifest, readHead } from '../library/read-library.ts';
import { readManifest } from '../library/read-manifest.ts';
import { compareWithFolder } from '../tree/compare.ts';
import { GuardedFolder } from '../tree/guarded-folder.ts';
import { HashCache } from '../tree/hash-cache.ts';
import type { ProgressListener } from '../tree/progress.ts';
import { type ReadLogOptions, readSignatureLog } from './read-log.ts';
import { requireSignature } from './require-signature.ts';
import type { TrustedSigners } from './trusted-signers.ts';

export interface VerifyOptions extends ReadLogOptions {
  cacheFolder: string;
  signers?: TrustedSigners | undefined;
  /** Compare every file of the release with this folder. */
  folder?: string | undefined;
  progress?: ProgressListener | undefined;
}

/** A release of which everything is as it was signed. */
export interface VerifyResult {
  library: string;
  signature: ReleaseSignature;
  log: { entries: number; root: string };
  /** Whether this machine had never seen the log: whoever began it was believed. */
  isFirst: boolean;
  /** The files that were read and compared; absent if none were. */
  files?: { files: number; bytes: number };
}

/**
 * Proves that a release is the one that was signed: of a service its manifest, which has the hash of every file; of a
 * mirror also every file, without asking a service; of a folder every file. Throws `SignatureRefusedError`,
 * `IntegrityError`, `MirrorError` and the client's errors.
 */
export async function verifyRelease(
  server: string,
  address: LibraryAddress & { release: string },
  client: () => Promise<Client>,
  options: VerifyOptions,
): Promise<VerifyResult> {
  const { mirror, folder, signers, signal } = options;
  const { log, isFirst } = await readSignatureLog(server, address, client, options);
  const manifestSha256 = mirror || folder ? null : await servedManifest(await client(), address, signal);
  const signature = requireSignature(log, { release: address.release, manifestSha256 }, signers);
  const result = {
    library: formatLibraryAddress(address),
    signature,
    log: { entries: log.entries.length, root: log.root() },
    isFirst,
  };
  if (mirror === undefined && folder === undefined) return result;
  const manifest = await readSignedManifest(signature, address, client, options);
  const files = [...filesOf(manifest.assets).values()];
  if (folder !== undefined) await compareAll(files, folder, result.library, options);
  else if (mirror !== undefined) for (const file of files) for await (const _ of mirror.read(file, signal));
  return { ...result, files: { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) } };
}

async function servedManifest(
  client: Client,
  address: LibraryAddress,
  signal?: AbortSignal,
): Promise<string> {
  const { manifestSha256 } = await readHead(client, address, signal);
  return manifestSha256 ?? (await downloadManifest(client, address, signal)).sha256;
}

async function readSignedManifest(
  { manifest }: ReleaseSignature,
  address: LibraryAddress,
  client: () => Promise<Client>,
  { mirror, signal, ...options }: VerifyOptions,
): Promise<Manifest> {
  const cached = openCache(options)?.read(manifest);
  if (cached) return readManifest(cached);
  if (mirror) return readManifest(Buffer.concat(await Array.fromAsync(mirror.read(manifest, signal))));
  const { bytes, sha256 } = await downloadManifest(await client(), address, signal);
  if (sha256 !== manifest.sha256)
    throw new IntegrityError('The service has other contents than those that were signed.');
  return readManifest(bytes);
}

async function compareAll(
  files: readonly ManifestFile[],
  target: string,
  library: string,
  { cacheFolder, progress, signal }: VerifyOptions,
): Promise<void> {
  const folder = GuardedFolder.open(target);
  const cache = folder && new HashCache(folder.root, cacheFolder);
  try {
    const options = { verify: true, progress, signal };
    const compared = await compareWithFolder(folder, files, cache, options);
    const wrong = [...compared.missing, ...compared.different].map(({ path }) => path);
    if (wrong.length === 0) return;
    throw new IntegrityError(sentenceWithPaths(`${target} lacks files of ${library}, or has others:`, wrong));
  } finally {
    folder?.close();
  }
}
