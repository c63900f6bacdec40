import { closeSync, fstatSync, ftruncateSync } from 'node:fs';
import type { ObjectCache } from '../cache/object-cache.ts';
import { IntegrityError } from '../failures.ts';
import { type FileIdentity, identityOf } from '../tree/file-identity.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import { type ContentMemories, type ContentMemory, IN_MEMORY } from './content-memory.ts';
import type { PartialFiles } from './partial-files.ts';
import { writeFully, writeVerified } from './place-content.ts';
import type { Placement } from './placement.ts';
import type { ReceiveOptions } from './receive.ts';
import { receive } from './receive.ts';
import type { WantedFile } from './wanted.ts';
import type { WrittenDigests } from './written-digest.ts';

export interface DownloadParts {
  folder: GuardedFolder;
  partials: PartialFiles;
  /** Runs one exchange again and again until it is done; `receive` says where it starts each time. */
  persist(file: WantedFile, attempt: (exchange: Exchange) => Promise<void>): Promise<void>;
  onBytes(bytes: number): void;
  memories: ContentMemories;
  digests: WrittenDigests;
  placement: Placement;
  /** Hears what was put in place, and what tells whether it changes later. */
  onPlaced(file: WantedFile, identity: FileIdentity): void;
  /** Keeps what was verified for other pulls of this machine; null: nothing is kept. */
  cache: ObjectCache | null;
  signal?: AbortSignal | undefined;
}

export type Exchange = Pick<ReceiveOptions, 'client' | 'url' | 'signal'>;

/** Fetches a file, verifies it and puts it in place in one step. */
export async function download(file: WantedFile, parts: DownloadParts): Promise<void> {
  if (file.size > IN_MEMORY) await downloadToDisk(file, parts);
  else await parts.memories.use((memory) => downloadInto(memory, file, parts));
}

async function downloadInto(memory: ContentMemory, file: WantedFile, parts: DownloadParts): Promise<void> {
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
      memory: (most) => memory.subarray(filled, Math.min(filled + most, file.size)),
      onBytes: (bytes) => {
        const isInPlace = bytes.buffer === memory.buffer;
        filled += isInPlace ? bytes.length : bytes.copy(memory, filled);
        parts.onBytes(bytes.length);
      },
    });
  });
  const wrong = await parts.placement.place([{ file, at: 0 }], memory, parts.onPlaced);
  if (wrong.length > 0) throw wrongBytes(file);
}

/** Puts verified content in place in one step. Answers what tells whether it changes later. */
export function writeWhole(
  file: WantedFile,
  content: Buffer,
  { folder, partials }: WriteParts,
): FileIdentity {
  const { name, resume } = partials.claim(file);
  try {
    if (resume) folder.removeBeside(file.path, name);
    return writeVerified(file.path, name, content, folder);
  } finally {
    partials.release(file, name);
  }
}

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

async function downloadToDisk(file: WantedFile, parts: DownloadParts): Promise<void> {
  const { folder, partials } = parts;
  const { name, resume } = partials.claim(file);
  const descriptor = folder.openBeside(file.path, name, { resume });
  try {
    const present = sizeWithin(descriptor, file.size);
    if ((await fill(descriptor, present, file, parts)) !== file.sha256) {
      parts.onBytes(-file.size);
      throw present > 0 ? new StalePartial(file) : wrongBytes(file);
    }
    await parts.cache?.addFile(file, folder.reopenable(file.path, name, descriptor));
    const identity = identityOf(fstatSync(descriptor, { bigint: true }));
    folder.putInPlace(file.path, name);
    parts.onPlaced(file, identity);
  } catch (error) {
    if (error instanceof IntegrityError) folder.removeBeside(file.path, name);
    throw error;
  } finally {
    closeSync(descriptor);
    partials.release(file, name);
  }
}

/** Fetches what an open file lacks, of which `present` bytes are there. Answers the SHA-256 of the whole. */
async function fill(
  descriptor: number,
  present: number,
  file: WantedFile,
  { digests, signal, persist, onBytes }: DownloadParts,
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
    await persist(file, async (exchange) => {
      if (at < file.size)
        await receive({ ...exchange, file, from: at, onStart: continueAt, onBytes: append });
    });
    return await digest.end();
  } finally {
    digest.abandon();
  }
}

/** A part from an earlier pull turned out wrong; it is gone, and the file can be fetched from its beginning. */
export class StalePartial extends IntegrityError {
  constructor({ path }: WantedFile) {
    super(`the part of ${path} from an earlier pull was damaged`);
  }
}

function wrongBytes({ path, sha256 }: WantedFile): IntegrityError {
  return new IntegrityError(
    `${path} does not match its manifest (SHA-256 ${sha256}) and was discarded. If this happens again, the service has lost ` +
      'it, and a push with --verify from a folder that has it restores it',
  );
}

/** How much a partial file holds; one that is too long is emptied. */
function sizeWithin(descriptor: number, size: number): number {
  const present = fstatSync(descriptor).size;
  if (present <= size) return present;
  ftruncateSync(descriptor, 0);
  return 0;
}
