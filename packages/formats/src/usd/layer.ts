import { UnreadableFileError } from '../unreadable.ts';
import { sourceOf } from './byte-cursor.ts';
import { readCrateLayer } from './crate-layer.ts';
import { readTextLayer } from './text-layer.ts';
import type { Layer } from './values.ts';

/** Reads a layer, whichever its extension says: a `.usd` is text or a crate. Throws `UnreadableFileError`. */
export function readLayer(bytes: Uint8Array, path: string): Layer {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 8));
  if (head.startsWith('#usda')) return readTextLayer(bytes, path);
  if (head === 'PXR-USDC') return readCrateLayer(sourceOf(bytes), path);
  if (isArchive(bytes)) throw new UnreadableFileError('is an archive in an archive, which is not read');
  throw new UnreadableFileError('is not USD, neither as text nor as a crate');
}

/** Whether a file is a `.usdz`, or another ZIP archive. */
export function isArchive(bytes: Uint8Array): boolean {
  return [0x50, 0x4b, 3, 4].every((byte, at) => bytes[at] === byte);
}
