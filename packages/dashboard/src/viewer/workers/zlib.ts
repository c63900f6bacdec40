import { Gunzip, Unzlib } from 'fflate';
import { Decompress } from 'fzstd';

/** Browser replacement for what the loaders use of `node:zlib`. */
interface Bounds {
  readonly maxOutputLength: number;
  /** Given if the bytes are the beginning of a stream, of which what is there is wanted. */
  readonly finishFlush?: number;
}

export const constants = { Z_SYNC_FLUSH: 2, ZSTD_e_flush: 1 };

/** Bytes decompressed at a time, so that a decompression bomb is stopped before it is large. */
const SLICE = 65_536;

export function gunzipSync(bytes: Uint8Array, bounds: Bounds): Uint8Array {
  return decompressBounded(bytes, bounds, (take) => new Gunzip(take));
}

export function inflateSync(bytes: Uint8Array, bounds: Bounds): Uint8Array {
  return decompressBounded(bytes, bounds, (take) => new Unzlib(take));
}

export function zstdDecompressSync(bytes: Uint8Array, bounds: Bounds): Uint8Array {
  return decompressBounded(bytes, bounds, (take) => new Decompress(take));
}

interface Unpacking {
  push(chunk: Uint8Array, isLast?: boolean): void;
}

function decompressBounded(
  bytes: Uint8Array,
  { maxOutputLength, finishFlush }: Bounds,
  start: (take: (chunk: Uint8Array) => void) => Unpacking,
): Uint8Array {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const unpacking = start((chunk) => {
    length += chunk.byteLength;
    if (length > maxOutputLength) throw new RangeError('longer than announced');
    chunks.push(chunk);
  });
  for (let at = 0; at < bytes.byteLength; at += SLICE)
    unpacking.push(
      bytes.subarray(at, at + SLICE),
      finishFlush === undefined && at + SLICE >= bytes.byteLength,
    );
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.byteLength;
  }
  return all;
}
