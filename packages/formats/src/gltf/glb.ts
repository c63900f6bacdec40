import { viewOf } from '../files/bytes.ts';
import { UnreadableFileError } from '../files/unreadable.ts';

const MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;

/** Bytes of a GLB file up to its first chunk, and of that chunk's own header. */
const HEADER = 12;
const CHUNK_HEADER = 8;

/** Bytes from which `glbJson` tells where the JSON is. */
export const GLB_HEAD = HEADER + CHUNK_HEADER;

/** Whether a file is glTF in a binary container, whatever its extension says. */
export function isGlb(bytes: Uint8Array): boolean {
  return bytes.byteLength >= HEADER && viewOf(bytes).getUint32(0, true) === MAGIC;
}

/**
 * Returns where the JSON of a GLB file is, from its first `GLB_HEAD` bytes. Version 1 has no chunks: its header is as
 * long, and its second length is that of the scene, which is JSON. Throws `UnreadableFileError`.
 */
export function glbJson(head: Uint8Array): { start: number; length: number } {
  if (head.byteLength < GLB_HEAD) throw new UnreadableFileError('ends inside the header of a glTF container');
  if (!isGlb(head)) throw new UnreadableFileError('is not a glTF container');
  const view = viewOf(head);
  if (view.getUint32(4, true) >= 2 && view.getUint32(HEADER + 4, true) !== JSON_CHUNK)
    throw new UnreadableFileError('does not begin with a JSON chunk');
  return { start: GLB_HEAD, length: view.getUint32(HEADER, true) };
}

/**
 * Splits a GLB file of version 2 into its JSON and its binary buffer
 * (https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html#binary-gltf-layout). Throws `UnreadableFileError`.
 */
export function splitGlb<Bytes extends Uint8Array>(bytes: Bytes): { json: Bytes; binary: Bytes | undefined } {
  const view = viewOf(bytes);
  if (view.getUint32(8, true) > bytes.byteLength) throw cutOff();
  const chunks = new Map<number, Bytes>();
  for (let at = HEADER; at + CHUNK_HEADER <= bytes.byteLength; ) {
    const length = view.getUint32(at, true);
    const type = view.getUint32(at + 4, true);
    const start = at + CHUNK_HEADER;
    if (start + length > bytes.byteLength) throw cutOff();
    if (!chunks.has(type)) chunks.set(type, bytes.subarray(start, start + length) as Bytes);
    // Chunks are padded to four bytes; some writers leave the padding out of the length.
    at = start + Math.ceil(length / 4) * 4;
  }
  const json = chunks.get(JSON_CHUNK);
  if (json === undefined) throw new UnreadableFileError('the GLB file has no JSON chunk');
  return { json, binary: chunks.get(BINARY_CHUNK) };
}

function cutOff(): UnreadableFileError {
  return new UnreadableFileError('the GLB file is cut off');
}
