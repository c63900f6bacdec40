import type { ManifestFile } from '@bindery/contract';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { ReadPart } from '../discovery/file-reader.ts';
import type { UploadSource } from '../tree/upload-source.ts';

/** A file that somebody picked or dropped. `path` is relative to the folder, separated by `/`. */
export interface PickedFile {
  path: string;
  size: number;
  blob: Blob;
}

/** Available in web workers only, and not declared by the type libraries in use. */
declare const FileReaderSync: new () => { readAsArrayBuffer(blob: Blob): ArrayBuffer };

/** Reads parts of picked files synchronously, which works in web workers only. */
export function partReader(files: readonly PickedFile[]): ReadPart {
  const blobs = new Map(files.map(({ path, blob }) => [path, blob]));
  const reader = new FileReaderSync();
  return (path, start, length) => {
    const blob = blobs.get(path) ?? new Blob();
    return new Uint8Array(reader.readAsArrayBuffer(blob.slice(start, start + length)));
  };
}

export function pickedSource(file: ManifestFile, blob: Blob): UploadSource {
  return {
    ...file,
    open: (start, end) => blob.slice(start, end),
    read(target) {
      const bytes = new Uint8Array(new FileReaderSync().readAsArrayBuffer(blob.slice(0, target.byteLength)));
      target.set(bytes);
      return bytes.byteLength;
    },
    isUnchanged: async () => (await hashBlob(blob).catch(() => null)) === file.sha256,
  };
}

/** Files of up to this many bytes are hashed by the browser itself, which needs the whole file in memory. */
const MAX_AT_ONCE = 32 * 1024 * 1024;
const CHUNK = 4 * 1024 * 1024;

/** Returns a file's lowercase hex SHA-256, in bounded memory. Plain HTTP on a LAN has no `crypto.subtle`. */
export async function hashBlob(blob: Blob, onBytes: (bytes: number) => void = () => {}): Promise<string> {
  if (blob.size <= MAX_AT_ONCE && globalThis.crypto.subtle !== undefined) {
    const digest = await crypto.subtle.digest('SHA-256', await blob.arrayBuffer());
    onBytes(blob.size);
    return bytesToHex(new Uint8Array(digest));
  }
  const hash = sha256.create();
  for (let at = 0; at < blob.size; at += CHUNK) {
    const chunk = new Uint8Array(await blob.slice(at, at + CHUNK).arrayBuffer());
    hash.update(chunk);
    onBytes(chunk.byteLength);
  }
  return bytesToHex(hash.digest());
}
