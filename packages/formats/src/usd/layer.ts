import { UnreadableFileError } from '../unreadable.ts';
import { sourceOf } from './crate-cursor.ts';
import { readCrateLayer } from './crate-layer.ts';
import { readTextLayer } from './text-layer.ts';
import type { Layer } from './values.ts';

/** Reads a layer, whichever its extension says: a `.usd` is text or a crate. Throws `UnreadableFileError`. */
export function readLayer(bytes: Uint8Array, path: string): Layer {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 8));
  if (head.startsWith('#usda')) return readTextLayer(bytes, path);
  if (head === 'PXR-USDC') return readCrateLayer(sourceOf(bytes), path);
  throw new UnreadableFileError('is not USD, neither as text nor as a crate');
}
