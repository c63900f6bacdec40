import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, createDeflate, deflate } from 'node:zlib';
import type { ObjectAddress, ObjectStore } from '../../objects/store.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { GitObject, GitObjects } from './commits.ts';

/*
 * Packs, by gitformat-pack(5): objects are whole and compressed, one after the other, so that none is held for another.
 */

const TYPES = { commit: 1, tree: 2, blob: 3 };

/** Files of up to this many bytes are read and verified whole, larger ones streamed. */
const READ_WHOLE = 2 * 2 ** 20;

/** How many objects are read ahead, and the bytes of these. */
const AHEAD = { objects: 32, bytes: 8 * 2 ** 20 };

const FAST = { level: constants.Z_BEST_SPEED, chunkSize: 2 ** 16 };
const STORED = { ...FAST, level: constants.Z_NO_COMPRESSION };

/** Bytes of a large file by which it is told whether it is compressed already, and how small they then do not become. */
const SAMPLE = { bytes: 2 ** 16, ratio: 0.95 };

const deflated = promisify<Uint8Array, typeof FAST, Buffer>(deflate);

/** Many are small, for which so much room as for large ones would fill the memory before it is collected. */
function compressed(content: Uint8Array): Promise<Buffer> {
  return deflated(content, { ...FAST, chunkSize: Math.min(FAST.chunkSize, content.length + 1_024) });
}

/** Bytes that are hashed at a time. */
const PIECE = 2 ** 18;

type Files = Pick<ObjectStore, 'read' | 'stream'>;

/** Yields a pack of the objects, whose files are in a store. */
export async function* packOf(
  { count, read }: GitObjects,
  files: Files,
  storeId: string,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha1');
  const head = Buffer.from('PACK\0\0\0\x02....', 'latin1');
  head.writeUInt32BE(count, 8);
  hash.update(head);
  yield head;
  for await (const piece of entriesOf(read(), files, storeId))
    for (let at = 0; at < piece.length; at += PIECE) {
      const part = piece.subarray(at, at + PIECE);
      hash.update(part);
      yield part;
      if (turnIsOver()) await nextTurn();
    }
  yield hash.digest();
}

/** An object on its way into the pack; a large file is read when its turn comes. */
type Entry = { size: number; whole: Promise<Buffer> } | { size: number; large: string };

async function* entriesOf(
  objects: AsyncIterable<GitObject>,
  files: Files,
  storeId: string,
): AsyncGenerator<Uint8Array> {
  const ahead: Entry[] = [];
  let bytes = 0;
  for await (const object of objects) {
    const entry = begin(object);
    ahead.push(entry);
    bytes += entry.size;
    while (ahead.length > AHEAD.objects || bytes > AHEAD.bytes) yield* next();
  }
  while (ahead.length > 0) yield* next();

  function begin(object: GitObject): Entry {
    const size = object.kind === 'blob' ? object.size : object.bytes.length;
    if (object.kind === 'blob' && size > READ_WHOLE) return { size, large: object.sha256 };
    const read = object.kind === 'blob' ? files.read({ storeId, sha256: object.sha256 }) : object.bytes;
    const whole = Promise.resolve(read).then(async (content) =>
      Buffer.concat([headOf(object.kind, size), await compressed(content)]),
    );
    // It is awaited later, or not at all if the client leaves.
    whole.catch(() => {});
    return { size, whole };
  }

  async function* next(): AsyncGenerator<Uint8Array> {
    const entry = ahead.shift() as Entry;
    bytes -= entry.size;
    if ('whole' in entry) yield await entry.whole;
    else {
      yield headOf('blob', entry.size);
      const object = { storeId, sha256: entry.large };
      const stream = createDeflate((await shrinks(object)) ? FAST : STORED);
      const content = files.stream(object);
      content.on('error', (error) => stream.destroy(error));
      stream.on('close', () => content.destroy());
      yield* content.pipe(stream);
    }
  }

  async function shrinks(object: ObjectAddress): Promise<boolean> {
    const sample = Buffer.concat(await files.stream(object, { start: 0, end: SAMPLE.bytes - 1 }).toArray());
    return (await compressed(sample)).length < sample.length * SAMPLE.ratio;
  }
}

/** The type and the length of an object: four bits of it, then seven a byte. */
function headOf(kind: GitObject['kind'], size: number): Buffer {
  const bytes: number[] = [];
  let byte = (TYPES[kind] << 4) | (size & 15);
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 128);
    byte = rest % 128;
  }
  return Buffer.from([...bytes, byte]);
}
