import { UnreadableFileError } from '../../files/unreadable.ts';
import { type ByteSource, sourceOf } from './byte-cursor.ts';
import { readCrateLayer } from './crate-layer.ts';
import { readMaterialXLayer } from './materialx-layer.ts';
import { readTextLayer } from './text-layer.ts';
import type { Layer } from './values.ts';

/** The largest text that is read; a crate has the same in a third of it. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

const MAX_XML_BYTES = 16 * 1024 * 1024;

/** Reads a layer, whichever its extension says: a `.usd` is text or a crate. Throws `UnreadableFileError`. */
export function readLayer(file: Uint8Array | ByteSource, path: string): Layer {
  const source = file instanceof Uint8Array ? sourceOf(file) : file;
  const head = new TextDecoder('latin1').decode(source.part(0, 8));
  if (head === 'PXR-USDC') return readCrateLayer(source, path);
  if (isArchive(source)) throw new UnreadableFileError('is an archive in an archive, which is not read');
  if (isMaterialX(source)) return readMaterialXLayer(source.part(0, source.size), path);
  if (!head.startsWith('#usda')) throw new UnreadableFileError('is not USD, neither as text nor as a crate');
  if (source.size > MAX_TEXT_BYTES)
    throw new UnreadableFileError(`has more than ${MAX_TEXT_BYTES / 1024 ** 2} MiB of text`);
  return readTextLayer(source.part(0, source.size), path);
}

function isMaterialX(source: ByteSource): boolean {
  const head = new TextDecoder().decode(source.part(0, 4096));
  return source.size <= MAX_XML_BYTES && /^\s*</.test(head) && head.includes('<materialx');
}

/** Whether a file is a `.usdz`, or another ZIP archive. */
export function isArchive(source: ByteSource): boolean {
  const head = source.part(0, 4);
  return [0x50, 0x4b, 3, 4].every((byte, at) => head[at] === byte);
}
