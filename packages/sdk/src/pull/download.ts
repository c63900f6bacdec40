import { createHash, type Hash, hash, subtle } from 'node:crypto';
import { closeSync, fstatSync, ftruncateSync, readSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { ObjectCache } from '../cache/object-cache.ts';
import { IntegrityError } from '../failures.ts';
import { type FileIdentity, identityOf } from '../tree/file-identity.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import type { PartialFiles } from './partial-files.ts';
import type { ReceiveOptions } from './receive.ts';
import { receive } from './receive.ts';
import type { WantedFile } from './wanted.ts';

/** Up to this size a file is verified in memory, before any of it is written. */
export const IN_MEMORY = 4 * 1024 * 1024;
/** From this size on it is verified and written by threads of Node's own, meanwhile the next one is received. */
const WORTH_A_THREAD = 128 * 1024;
const REHASH_CHUNK = 1024 * 1024;

export interface DownloadParts {
  folder: GuardedFolder;
  partials: PartialFiles;
  /** Runs one exchange again and again until it is done; `receive` says where it starts each time. */
  persist(file: WantedFile, attempt: (exchange: Exchange) => Promise<void>): Promise<void>;
  onBytes(bytes: number): void;
  /** Buffers of `IN_MEMORY` bytes that are free, to be filled again: many new ones would keep the garbage collector busy. */
  spare: Buffer<ArrayBuffer>[];
  /** Keeps what was verified for other pulls of this machine; null: nothing is kept. */
  cache: ObjectCache | null;
  signal?: AbortSignal | undefined;
}

export type Exchange = Pick<ReceiveOptions, 'client' | 'url' | 'signal'>;

/** Fetches a file, verifies it and puts it in place in one step. Answers what tells whether it changes later. */
export async function download(file: WantedFile, parts: DownloadParts): Promise<FileIdentity> {
  return file.size <= IN_MEMORY ? downloadInMemory(file, parts) : downloadToDisk(file, parts);
}

async function downloadInMemory(file: WantedFile, parts: DownloadParts): Promise<FileIdentity> {
  const buffer = parts.spare.pop() ?? Buffer.allocUnsafeSlow(IN_MEMORY);
  try {
    return await downloadInto(buffer.subarray(0, file.size), file, parts);
  } finally {
    parts.spare.push(buffer);
  }
}

async function downloadInto(
  content: Buffer<ArrayBuffer>,
  file: WantedFile,
  parts: DownloadParts,
): Promise<FileIdentity> {
  let filled = 0;
  await parts.persist(file, (exchange) => {
    return receive({
      ...exchange,
      file,
      from: filled,
      onStart: (at) => {
        parts.onBytes(at - filled);
        filled = at;
      },
      onBytes: (bytes) => {
        filled += bytes.copy(content, filled);
        parts.onBytes(bytes.length);
      },
    });
  });
  if (content.length < WORTH_A_THREAD) {
    if (!isContentOf(file, content)) throw wrongBytes(file);
    parts.cache?.add(file, content);
    return writeWhole(file, content, parts);
  }
  if (!(await isContentOfAside(file, content))) throw wrongBytes(file);
  await parts.cache?.addAside(file, content);
  return writeWholeAside(file, content, parts);
}

export function isContentOf({ sha256 }: WantedFile, content: Buffer): boolean {
  return hash('sha256', content) === sha256;
}

/** The same while this thread does other work. */
async function isContentOfAside({ sha256 }: WantedFile, content: Buffer<ArrayBuffer>): Promise<boolean> {
  return Buffer.from(await subtle.digest('SHA-256', content)).toString('hex') === sha256;
}

/** Puts verified content in place in one step. Answers what tells whether it changes later. */
export function writeWhole(file: WantedFile, content: Buffer, parts: WriteParts): FileIdentity {
  const target = openTarget(file, parts);
  try {
    writeFully(target.descriptor, content, 0);
    return target.putInPlace();
  } catch (error) {
    target.remove();
    throw error;
  } finally {
    target.close();
  }
}

/** The same while this thread does other work. */
async function writeWholeAside(file: WantedFile, content: Buffer, parts: WriteParts): Promise<FileIdentity> {
  const target = openTarget(file, parts);
  try {
    for (let at = 0; at < content.length; ) {
      const { bytesWritten } = await writeAside(target.descriptor, content, at, content.length - at, at);
      at += bytesWritten;
    }
    return target.putInPlace();
  } catch (error) {
    target.remove();
    throw error;
  } finally {
    target.close();
  }
}

const writeAside = promisify(write);

export type WriteParts = Pick<DownloadParts, 'folder' | 'partials'>;

/** A new file beside its place, open for writing. */
export function openTarget(file: WantedFile, { folder, partials }: WriteParts) {
  const { name, resume } = partials.claim(file);
  try {
    if (resume) folder.removeBeside(file.path, name);
    const descriptor = folder.openBeside(file.path, name);
    return {
      descriptor,
      /** Where it can be opened again before it is in place. */
      reopenable: () => folder.reopenable(file.path, name, descriptor),
      putInPlace(): FileIdentity {
        const identity = identityOf(fstatSync(descriptor, { bigint: true }));
        folder.putInPlace(file.path, name);
        return identity;
      },
      remove: () => folder.removeBeside(file.path, name),
      close() {
        closeSync(descriptor);
        partials.release(file, name);
      },
    };
  } catch (error) {
    partials.release(file, name);
    throw error;
  }
}

async function downloadToDisk(file: WantedFile, parts: DownloadParts): Promise<FileIdentity> {
  const { folder, partials, onBytes, signal } = parts;
  const { name, resume } = partials.claim(file);
  const descriptor = folder.openBeside(file.path, name, { resume });
  try {
    let { digest, at } = await hashedSoFar(descriptor, file.size, signal);
    const resumed = at > 0;
    onBytes(at);
    await parts.persist(file, (exchange) =>
      at === file.size
        ? Promise.resolve()
        : receive({
            ...exchange,
            file,
            from: at,
            onStart: (start) => {
              if (start === at) return;
              onBytes(-at);
              ftruncateSync(descriptor, 0);
              digest = createHash('sha256');
              at = 0;
            },
            onBytes: (bytes) => {
              writeFully(descriptor, bytes, at);
              digest.update(bytes);
              at += bytes.length;
              onBytes(bytes.length);
            },
          }),
    );
    if (digest.digest('hex') !== file.sha256) {
      folder.removeBeside(file.path, name);
      onBytes(-at);
      throw resumed ? new StalePartial(file) : wrongBytes(file);
    }
    await parts.cache?.addFile(file, folder.reopenable(file.path, name, descriptor));
    const identity = identityOf(fstatSync(descriptor, { bigint: true }));
    folder.putInPlace(file.path, name);
    return identity;
  } catch (error) {
    if (error instanceof IntegrityError) folder.removeBeside(file.path, name);
    throw error;
  } finally {
    closeSync(descriptor);
    partials.release(file, name);
  }
}

/** A part from an earlier pull turned out wrong; it is gone, and the file can be fetched from its beginning. */
export class StalePartial extends IntegrityError {
  constructor({ path }: WantedFile) {
    super(`the part of ${path} that an earlier pull left was wrong`);
  }
}

function wrongBytes({ path, sha256 }: WantedFile): IntegrityError {
  return new IntegrityError(
    `${path} is not what its manifest says (SHA-256 ${sha256}); nothing of it was kept. If it stays so, the service has lost ` +
      'it, and a push with --verify from a folder that has it puts it back',
  );
}

/** The digest of what a partial file holds, and how much that is; a file that is too long is emptied. */
async function hashedSoFar(
  descriptor: number,
  size: number,
  signal: AbortSignal | undefined,
): Promise<{ digest: Hash; at: number }> {
  const digest = createHash('sha256');
  const present = fstatSync(descriptor).size;
  if (present > size) ftruncateSync(descriptor, 0);
  if (present === 0 || present > size) return { digest, at: 0 };
  const chunk = Buffer.allocUnsafe(Math.min(REHASH_CHUNK, present));
  for (let at = 0; at < present; ) {
    const read = readSync(descriptor, chunk, 0, chunk.length, at);
    if (read === 0) return { digest, at };
    digest.update(chunk.subarray(0, read));
    at += read;
    await new Promise(setImmediate);
    signal?.throwIfAborted();
  }
  return { digest, at: present };
}

export function writeFully(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(descriptor, bytes, written, bytes.length - written, position + written);
  }
}
