import { UnreadableFileError } from '../unreadable.ts';
import { type ByteSource, sourceOf } from './byte-cursor.ts';
import { readCrateLayer } from './crate-layer.ts';
import { isMaterialX, readMaterialXLayer } from './materialx-layer.ts';
import { readTextLayer } from './text-layer.ts';
import type { Layer } from './values.ts';

/** The largest text that is read; a crate has the same in a third of it. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

/** Reads a layer, whichever its extension says: a `.usd` is text or a crate; materials are in documents of MaterialX too. Throws `UnreadableFileError`. */
export function readLayer(file: Uint8Array | ByteSource, path: string): Layer {
  const source = file instanceof Uint8Array ? sourceOf(file) : file;
  const head = new TextDecoder('latin1').decode(source.part(0, 8));
  if (head === 'PXR-USDC') return readCrateLayer(source, path);
  if (isArchive(source)) throw new UnreadableFileError('is an archive in an archive, which is not read');
  const isMaterials = isMaterialX(head);
  if (!head.startsWith('#usda') && !isMaterials)
    throw new UnreadableFileError('is not USD, neither as text nor as a crate');
  if (source.size > MAX_TEXT_BYTES)
    throw new UnreadableFileError(`has more than ${MAX_TEXT_BYTES / 1024 ** 2} MiB of text`);
  const text = source.part(0, source.size);
  return isMaterials ? readMaterialXLayer(text, path) : readTextLayer(text, path);
}

/** Whether a file is a `.usdz`, or another ZIP archive. */
export function isArchive(source: ByteSource): boolean {
  const head = source.part(0, 4);
  return [0x50, 0x4b, 3, 4].every((byte, at) => head[at] === byte);
}
