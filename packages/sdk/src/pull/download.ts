import { closeSync, fstatSync, ftruncateSync } from 'node:fs';
import type { ObjectCache } from '../cache/object-cache.ts';
import { IntegrityError } from '../failures.ts';
import { type FileIdentity, identityOf } from '../tree/file-identity.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import { type ContentBuffer, type ContentBufferPool, MAX_IN_MEMORY } from './content-buffers.ts';
import type { IncrementalDigests } from './incremental-digests.ts';
import { MemoryPart } from './memory-part.ts';
import type { PartialFiles } from './partial-files.ts';
import { writeFully, writeVerified } from './place-content.ts';
import type { Placement } from './placement.ts';
import { type ReceiveOptions, receive } from './receive.ts';
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

/** Receives a file into memory. What has arrived is also written to a partial file if that takes long, or fails. */
async function downloadInto(memory: ContentBuffer, file: TargetFile, parts: DownloadParts): Promise<void> {
  const part = await MemoryPart.open(memory, file, parts);
  try {
    parts.onBytes(part.filled);
    await parts.withRetries(file, async (exchange) => {
      if (part.filled === file.size && part.isResumed) return;
      await receive({
        ...exchange,
        file,
        from: part.filled,
        onStart: (at) => {
          parts.onBytes(at - part.filled);
          part.restartAt(at);
        },
        bufferFor: (most) => memory.subarray(part.filled, Math.min(part.filled + most, file.size)),
        onBytes: (bytes) => {
          part.add(bytes);
          parts.onBytes(bytes.length);
        },
      });
    });
    const wrong = await parts.placement.place([{ file, at: 0 }], memory, parts.onPlaced);
    if (wrong.length === 0) return part.remove();
    parts.onBytes(-file.size);
    throw part.isResumed ? new DamagedPartialError(file) : hashMismatchError(file);
  } catch (error) {
    if (error instanceof IntegrityError) part.remove();
    else part.keep();
    throw error;
  } finally {
    part.close();
  }
}

/** Writes verified content and moves it into place atomically. Returns the identity of the file. */
export function writeWhole(
  file: TargetFile,
  content: Buffer,
  { folder, partials }: WriteParts,
): FileIdentity {
  const name = partials.claim(file);
  try {
    return writeVerified(file.path, name, content, folder);
  } finally {
    partials.release(name);
  }
}

export type WriteParts = Pick<DownloadParts, 'folder' | 'partials'>;

/** Opens a new file next to its target for writing. */
export function openTarget(file: TargetFile, { folder, partials }: WriteParts) {
  const name = partials.claim(file);
  try {
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
        partials.release(name);
      },
    };
  } catch (error) {
    partials.release(name);
    throw error;
  }
}

async function downloadToDisk(file: TargetFile, parts: DownloadParts): Promise<void> {
  const { folder, partials } = parts;
  const { name, descriptor: resumed } = await partials.resume(file);
  const descriptor = resumed ?? folder.openSibling(file.path, name);
  try {
    const present = truncateOversized(descriptor, file.size);
    if ((await fill(descriptor, present, file, parts)) !== file.sha256) {
      parts.onBytes(-file.size);
      throw present > 0 ? new DamagedPartialError(file) : hashMismatchError(file);
    }
    await parts.cache?.addFile(file, folder.reopenPath(file.path, name, descriptor));
    const identity = identityOf(fstatSync(descriptor, { bigint: true }));
    // Whoever took this process for ended has removed the file, or something else has its name.
    if (folder.lstatSibling(file.path, name)?.ino !== identity.inode) throw new DamagedPartialError(file);
    folder.putInPlace(file.path, name);
    parts.onPlaced(file, identity);
  } catch (error) {
    if (error instanceof IntegrityError) folder.removeSibling(file.path, name);
    throw error;
  } finally {
    closeSync(descriptor);
    partials.release(name);
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

/** A partial file was changed or removed by others. It has been deleted; the file can be downloaded from the start. */
export class DamagedPartialError extends IntegrityError {
  constructor({ path }: TargetFile) {
    super(`the part of ${path} that had arrived was damaged`);
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
