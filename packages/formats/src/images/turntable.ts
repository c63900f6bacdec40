/**
 * A turntable within a thumbnail: an animated picture of a model that turns once, in a chunk of its own at the end of a
 * WebP file. Whoever reads the file sees the still picture: readers of WebP skip chunks that they do not know.
 *
 * Source: https://developers.google.com/speed/webp/docs/riff_container (RIFF file format, unknown chunks)
 */

/** Larger turntables are neither written nor read, in bytes. */
export const MAX_TURNTABLE_BYTES = 30 * 1024;

const CHUNK = 'TURN';
/** A name and a size in bytes precede the content of every chunk; the file itself is one. */
const HEAD = 8;
const FIRST_CHUNK = 12;

const nameAt = (bytes: Uint8Array, at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));

/** Whether the file can hold chunks besides a bare picture. */
function isExtended(webp: Uint8Array): boolean {
  return nameAt(webp, 0) === 'RIFF' && nameAt(webp, 8) === 'WEBP' && nameAt(webp, FIRST_CHUNK) === 'VP8X';
}

/** Adds a turntable to a still picture. A picture without transparency, and a turntable that is too large, stay apart. */
export function withTurntable(still: Uint8Array, turntable: Uint8Array): Uint8Array {
  if (!isExtended(still) || turntable.length > MAX_TURNTABLE_BYTES) return still;
  const padding = turntable.length % 2;
  const joined = new Uint8Array(still.length + HEAD + turntable.length + padding);
  joined.set(still);
  joined.set(new TextEncoder().encode(CHUNK), still.length);
  joined.set(turntable, still.length + HEAD);
  const view = new DataView(joined.buffer);
  view.setUint32(still.length + 4, turntable.length, true);
  view.setUint32(4, joined.length - HEAD, true);
  return joined;
}

/** Returns the turntable of a thumbnail, itself an animated WebP; null if it has none. */
export function turntableOf(webp: Uint8Array): Uint8Array | null {
  if (webp.length < FIRST_CHUNK + HEAD || !isExtended(webp)) return null;
  const view = new DataView(webp.buffer, webp.byteOffset, webp.byteLength);
  for (let at = FIRST_CHUNK; at + HEAD <= webp.length; ) {
    const size = view.getUint32(at + 4, true);
    const start = at + HEAD;
    if (nameAt(webp, at) === CHUNK) {
      const isWhole = size <= MAX_TURNTABLE_BYTES && start + size <= webp.length;
      return isWhole && isExtended(webp.subarray(start)) ? webp.subarray(start, start + size) : null;
    }
    at = start + size + (size % 2);
  }
  return null;
}
