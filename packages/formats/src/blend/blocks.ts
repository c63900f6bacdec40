import { Unrenderable } from '../reading/errors.ts';

/** The bytes of a Blender file, unpacked, in their order. */
export interface BlendStream {
  /** The next bytes, fewer only at the end. Valid until the next call. */
  take(length: number): Promise<Uint8Array>;
  skip(length: number): Promise<void>;
}

/** What the header of a file says. */
export interface BlendHeader {
  /** Such as 405 or 500. */
  version: number;
  littleEndian: boolean;
  pointerBytes: 4 | 8;
  /** Since Blender 5 lengths have 64 bits. */
  isLong: boolean;
  length: number;
}

/** A piece of Blender's memory. */
export interface BlendBlock {
  code: string;
  length: number;
  /** Where it was in the memory, by which others point to it. */
  address: bigint;
  /** The number of its structure. */
  structure: number;
  count: number;
}

const [SMALL_POINTER, LITTLE_ENDIAN] = ['_', 'v'];
/** Since Blender 5 the header states its own length, and blocks have lengths of 64 bits. */
const LONG_HEADER = /^BLENDER(\d\d)-\d\d([vV])(\d{4})/;
const SHORT_HEADER = /^BLENDER([_-])([vV])(\d{3})/;
const SHORT_HEADER_BYTES = 12;

/** Reads the header that is at the beginning of these bytes; null if there is none. */
export function headerOf(bytes: Uint8Array): BlendHeader | null {
  const text = latin1(bytes.subarray(0, 20));
  const [, long, longOrder, longVersion] = LONG_HEADER.exec(text) ?? [];
  if (long !== undefined)
    return {
      version: Number(longVersion),
      littleEndian: longOrder === LITTLE_ENDIAN,
      pointerBytes: 8,
      isLong: true,
      length: Number(long),
    };
  const [, pointer, order, version] = SHORT_HEADER.exec(text) ?? [];
  if (pointer === undefined) return null;
  return {
    version: Number(version),
    littleEndian: order === LITTLE_ENDIAN,
    pointerBytes: pointer === SMALL_POINTER ? 4 : 8,
    isLong: false,
    length: SHORT_HEADER_BYTES,
  };
}

/** The bytes that describe a block, before its content. */
export function blockHeadBytes({ isLong, pointerBytes }: BlendHeader): number {
  return isLong ? 32 : 16 + pointerBytes;
}

/** Reads what describes a block; null for one that cannot be. */
export function blockOf(header: BlendHeader, bytes: Uint8Array): BlendBlock | null {
  const { isLong, littleEndian: little, pointerBytes } = header;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [code = ''] = latin1(bytes.subarray(0, 4)).split('\0', 1);
  const behind = 8 + pointerBytes;
  const block = isLong
    ? {
        structure: view.getInt32(4, little),
        address: view.getBigUint64(8, little),
        length: Number(view.getBigInt64(16, little)),
        count: Number(view.getBigInt64(24, little)),
      }
    : {
        length: view.getInt32(4, little),
        address: pointerAt(header, view, 8),
        structure: view.getInt32(behind, little),
        count: view.getInt32(behind + 4, little),
      };
  return block.length < 0 || !Number.isSafeInteger(block.length) ? null : { code, ...block };
}

export function pointerAt(
  { littleEndian, pointerBytes }: Pick<BlendHeader, 'littleEndian' | 'pointerBytes'>,
  view: DataView,
  at: number,
): bigint {
  return pointerBytes === 8 ? view.getBigUint64(at, littleEndian) : BigInt(view.getUint32(at, littleEndian));
}

/** Reads the header of a file. @throws Unrenderable if it is none of Blender's */
export async function readHeader(stream: BlendStream): Promise<BlendHeader> {
  // A short one ends where the long one has its version.
  const first = Uint8Array.from(await stream.take(SHORT_HEADER_BYTES));
  const short = headerOf(first);
  if (short !== null) return short;
  const rest = await stream.take(5);
  const header = headerOf(Uint8Array.of(...first, ...rest));
  if (header === null || header.length < first.length + rest.length)
    throw new Unrenderable('not a Blender file');
  await stream.skip(header.length - first.length - rest.length);
  return header;
}

/** Yields the blocks of a file up to the last; what is not taken of a block is skipped. @throws Unrenderable within a damaged one */
export async function* readBlocks(
  stream: BlendStream,
  header: BlendHeader,
): AsyncGenerator<{ block: BlendBlock; take(): Promise<Uint8Array> }> {
  const headBytes = blockHeadBytes(header);
  for (;;) {
    const head = await stream.take(headBytes);
    if (head.length === 0) return;
    const block = head.length < headBytes ? null : blockOf(header, head);
    if (block === null) throw new Unrenderable('the Blender file is cut off or damaged');
    if (block.code === 'ENDB') return;
    let isTaken = false;
    yield {
      block,
      take: async () => {
        isTaken = true;
        const bytes = await stream.take(block.length);
        if (bytes.length < block.length) throw new Unrenderable('the Blender file is cut off');
        return bytes;
      },
    };
    if (!isTaken) await stream.skip(block.length);
  }
}

export function latin1(bytes: Uint8Array): string {
  return new TextDecoder('latin1').decode(bytes);
}
