import { closeSync, fstatSync, ftruncateSync } from 'node:fs';
import type { ObjectCache } from '../cache/object-cache.ts';
import { IntegrityError } from '../failures.ts';
import { type FileIdentity, identityOf } from '../tree/file-identity.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import { type ContentBuffer, type ContentBufferPool, MAX_IN_MEMORY } from './content-buffers.ts';
import type { IncrementalDigests } from './incremental-digests.ts';
import type { PartialFiles } from './partial-files.ts';
import { writeFully, writeVerified } from './place-content.ts';
import type { Placement } from './placement.ts';
import type { ReceiveOptions } from './receive.ts';
import { receive } from './receive.ts';
import type { TargetFile } from './select-files.ts';

export interface DownloadParts {
  folder: GuardedFolder;
  partials: PartialFiles;
  /** Repeats an exchange until it succeeds; `receive` reports where each attempt starts. */
  withRetries(file: TargetFile, attempt: (exchange: Exchange) => Promise<void>): Promise<void>;
  onBytes(bytes: number): void;
  buffers: ContentBufferPool;
  digests: IncrementalDigests;
  placement: Placement;
  /** Called for each file that was moved into place, with its identity. */
  onPlaced(file: TargetFile, identity: FileIdentity): void;
  /** Caches verified files for other pulls on this machine; null disables caching. */
  cache: ObjectCache | null;
  signal?: AbortSignal | undefined;
}

export type Exchange = Pick<ReceiveOptions, 'client' | 'url' | 'signal'>;

/** Downloads a file, verifies it and moves it into place atomically. */
export async function download(file: TargetFile, parts: DownloadParts): Promise<void> {
  if (file.size > MAX_IN_MEMORY) await downloadToDisk(file, parts);
  else await parts.buffers.use((memory) => downloadInto(memory, file, parts));
}

async function downloadInto(memory: ContentBuffer, file: TargetFile, parts: DownloadParts): Promise<void> {
  let filled = 0;
  await parts.withRetries(file, (exchange) => {
    return receive({
      ...exchange,
      file,
      from: filled,
      onStart: (at) => {
        parts.onBytes(at - filled);
        filled = at;
      },
      bufferFor: (most) => memory.subarray(filled, Math.min(filled + most, file.size)),
      onBytes: (bytes) => {
        const isInPlace = bytes.buffer === memory.buffer;
        filled += isInPlace ? bytes.length : bytes.copy(memory, filled);
        parts.onBytes(bytes.length);
      },
    });
  });
  const wrong = await parts.placement.place([{ file, at: 0 }], memory, parts.onPlaced);
  if (wrong.length > 0) throw hashMismatchError(file);
}

/** Writes verified content and moves it into place atomically. Returns the identity of the file. */
export function writeWhole(
  file: TargetFile,
  content: Buffer,
  { folder, partials }: WriteParts,
): FileIdentity {
  const { name, resume } = partials.claim(file);
  try {
    if (resume) folder.removeSibling(file.path, name);
    return writeVerified(file.path, name, content, folder);
  } finally {
    partials.release(file, name);
  }
}

export type WriteParts = Pick<DownloadParts, 'folder' | 'partials'>;

/** Opens a new file next to its target for writing. */
export function openTarget(file: TargetFile, { folder, partials }: WriteParts) {
  const { name, resume } = partials.claim(file);
  try {
    if (resume) folder.removeSibling(file.path, name);
    const descriptor = folder.openSibling(file.path, name);
    return {
      descriptor,
      /** The path at which it can be opened again before it is in place. */
      reopenPath: () => folder.reopenPath(file.path, name, descriptor),
      putInPlace(): FileIdentity {
        const identity = identityOf(fstatSync(descriptor, { bigint: true }));
        folder.putInPlace(file.path, name);
        return identity;
      },
      remove: () => folder.removeSibling(file.path, name),
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

async function downloadToDisk(file: TargetFile, parts: DownloadParts): Promise<void> {
  const { folder, partials } = parts;
  const { name, resume } = partials.claim(file);
  const descriptor = folder.openSibling(file.path, name, { resume });
  try {
    const present = truncateOversized(descriptor, file.size);
    if ((await fill(descriptor, present, file, parts)) !== file.sha256) {
      parts.onBytes(-file.size);
      throw present > 0 ? new CorruptPartialError(file) : hashMismatchError(file);
    }
    await parts.cache?.addFile(file, folder.reopenPath(file.path, name, descriptor));
    const identity = identityOf(fstatSync(descriptor, { bigint: true }));
    folder.putInPlace(file.path, name);
    parts.onPlaced(file, identity);
  } catch (error) {
    if (error instanceof IntegrityError) folder.removeSibling(file.path, name);
    throw error;
  } finally {
    closeSync(descriptor);
    partials.release(file, name);
  }
}

/** Downloads what an open file that has `present` bytes lacks. Returns the SHA-256 of the whole file. */
async function fill(
  descriptor: number,
  present: number,
  file: TargetFile,
  { digests, signal, withRetries, onBytes }: DownloadParts,
): Promise<string> {
  const digest = await digests.of(descriptor, present, signal);
  let at = present;
  onBytes(at);
  const continueAt = (start: number) => {
    if (start === at) return;
    onBytes(-at);
    ftruncateSync(descriptor, 0);
    digest.restart();
    at = 0;
  };
  const append = (bytes: Buffer) => {
    writeFully(descriptor, bytes, at);
    digest.add(bytes);
    at += bytes.length;
    onBytes(bytes.length);
  };
  try {
    await withRetries(file, async (exchange) => {
      if (at < file.size)
        await receive({ ...exchange, file, from: at, onStart: continueAt, onBytes: append });
    });
    return await digest.end();
  } finally {
    digest.abandon();
  }
}

/** A partial file of an earlier pull was corrupt. It has been deleted; the file can be downloaded from the start. */
export class CorruptPartialError extends IntegrityError {
  constructor({ path }: TargetFile) {
    super(`the part of ${path} from an earlier pull was damaged`);
  }
}

function hashMismatchError({ path, sha256 }: TargetFile): IntegrityError {
  return new IntegrityError(
    `${path} does not match its manifest (SHA-256 ${sha256}) and was discarded. If this happens again, the service has lost ` +
      'it, and a push with --verify from a folder that has it restores it',
  );
}

/** Returns the size of a partial file. One that is too long is emptied. */
function truncateOversized(descriptor: number, size: number): number {
  const present = fstatSync(descriptor).size;
  if (present <= size) return present;
  ftruncateSync(descriptor, 0);
  return 0;
}
