import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { promisify } from 'node:util';
import { ObjectDamaged } from '../../objects/damaged.ts';
import { isMissing, unlessMissing } from '../../objects/missing.ts';
import type { ObjectAddress, StoredObject } from '../../objects/store.ts';

/*
 * The callback functions of `node:fs` as promises: a file of a few kilobytes costs half of what it costs through
 * `FileHandle`. `fs` is accessed at each call so that tests can replace its functions.
 */
export const open = promisify((path: string, flags: string, mode: number, done: Done<number>) =>
  fs.open(path, flags, mode, done),
);
export const close = promisify((fd: number, done: Done) => fs.close(fd, done));
export const fdatasync = promisify((fd: number, done: Done) => fs.fdatasync(fd, done));
export const rename = promisify((from: string, to: string, done: Done) => fs.rename(from, to, done));
export const unlink = promisify((path: string, done: Done) => fs.unlink(path, done));
export const stat = promisify((path: string, done: Done<fs.Stats>) => fs.stat(path, done));
export const fstat = promisify((fd: number, done: Done<fs.Stats>) => fs.fstat(fd, done));

type Done<Value = void> = (error: NodeJS.ErrnoException | null, value: Value) => void;

/** Only the service has access to its files. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;
const READ_BYTES = 1024 * 1024;
/** Bytes hashed in one turn of the event loop: a millisecond or two. */
const HASHED_AT_ONCE = 512 * 1024;

/** Creates a folder and its parents; resolves to whether it is new. */
export async function makeFolder(path: string): Promise<boolean> {
  return (await fs.promises.mkdir(path, { recursive: true, mode: PRIVATE_FOLDER })) !== undefined;
}

/** Makes a file's contents survive a power cut. */
export async function syncFile(path: string): Promise<void> {
  const fd = await open(path, 'r', 0);
  try {
    await fdatasync(fd);
  } finally {
    await close(fd);
  }
}

/** Makes renames into and out of a folder survive a power cut. Does nothing if the folder no longer exists. */
export async function syncFolder(path: string): Promise<void> {
  const fd = await unlessMissing(open(path, 'r', 0));
  if (fd === null) return;
  try {
    await new Promise<void>((resolve, reject) =>
      fs.fsync(fd, (error) => (error ? reject(error) : resolve())),
    );
  } finally {
    await close(fd);
  }
}

/** Moves a file into a folder, creating the folder if it does not exist. */
export async function moveInto(folder: string, from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await makeFolder(folder);
    await rename(from, to);
  }
}

/** Writes all of `bytes` at `position`, or at the current position of the file. */
export async function writeAll(fd: number, bytes: Uint8Array, position: number | null = null): Promise<void> {
  let offset = 0;
  while (offset < bytes.length) {
    offset += await new Promise<number>((resolve, reject) =>
      fs.write(
        fd,
        bytes,
        offset,
        bytes.length - offset,
        position === null ? null : position + offset,
        (error, written) => (error ? reject(error) : resolve(written)),
      ),
    );
  }
}

/** Fills `buffer` from `position` on; resolves to the number of bytes read. */
export async function readFully(fd: number, buffer: Buffer, position: number): Promise<number> {
  let filled = 0;
  while (filled < buffer.length) {
    const count = await new Promise<number>((resolve, reject) =>
      fs.read(fd, buffer, filled, buffer.length - filled, position + filled, (error, read) =>
        error ? reject(error) : resolve(read),
      ),
    );
    if (count === 0) break;
    filled += count;
  }
  return filled;
}

/** Copies all bytes of a file into another at `offset`, creating the target if it does not exist. */
export async function copyInto(from: string, to: string, offset: number): Promise<void> {
  const source = await open(from, 'r', 0);
  try {
    const target = await openForUpdate(to);
    try {
      const buffer = Buffer.allocUnsafe(READ_BYTES);
      let copied = 0;
      for (;;) {
        const count = await readFully(source, buffer, copied);
        if (count === 0) return;
        await writeAll(target, buffer.subarray(0, count), offset + copied);
        copied += count;
      }
    } finally {
      await close(target);
    }
  } finally {
    await close(source);
  }
}

/** Opens a file for writing, creating it if it does not exist; neither truncates nor appends. */
async function openForUpdate(path: string): Promise<number> {
  await close(await open(path, 'a', PRIVATE_FILE));
  return open(path, 'r+', PRIVATE_FILE);
}

/** Returns the size and digest of a file, in bounded memory. `eachChunk` is called with each chunk that is read. */
export async function digestFile(
  path: string,
  eachChunk?: (chunk: Buffer, position: number) => void,
): Promise<StoredObject> {
  const fd = await open(path, 'r', 0);
  try {
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    let size = 0;
    for (;;) {
      const count = await readFully(fd, buffer, size);
      if (count === 0) return { sha256: hash.digest('hex'), size };
      const chunk = buffer.subarray(0, count);
      hash.update(chunk);
      eachChunk?.(chunk, size);
      size += count;
    }
  } finally {
    await close(fd);
  }
}

/** Content whose size and digest are known once `chunks` have been read to their end. */
export class HashedContent {
  readonly chunks: AsyncIterable<Buffer>;
  readonly #hash = createHash('sha256');
  #size = 0;

  constructor(content: AsyncIterable<Buffer>) {
    this.chunks = this.#read(content);
  }

  async *#read(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of content) {
      this.#hash.update(chunk);
      this.#size += chunk.length;
      yield chunk;
    }
  }

  finish(): StoredObject {
    return { sha256: this.#hash.digest('hex'), size: this.#size };
  }
}

/** Reads content to its end. */
export async function digestOf(content: AsyncIterable<Buffer>): Promise<StoredObject> {
  const hashed = new HashedContent(content);
  for await (const _ of hashed.chunks);
  return hashed.finish();
}

/** Reads and verifies an object's file. Hashes it in pieces so that no other request waits for long. */
export async function readVerified(path: string, object: ObjectAddress): Promise<Buffer> {
  const fd = await open(path, 'r', 0);
  try {
    const { size } = await fstat(fd);
    const bytes = Buffer.allocUnsafeSlow(size);
    const hash = createHash('sha256');
    for (let at = 0; at < size; at += HASHED_AT_ONCE) {
      const piece = bytes.subarray(at, at + HASHED_AT_ONCE);
      if ((await readFully(fd, piece, at)) < piece.length) throw new ObjectDamaged(object);
      hash.update(piece);
    }
    if (hash.digest('hex') !== object.sha256) throw new ObjectDamaged(object);
    return bytes;
  } finally {
    await close(fd);
  }
}
