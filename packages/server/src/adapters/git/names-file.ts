import { appendFile, stat, truncate } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { NAME_BYTES } from '../../doors/git/objects.ts';
import { HASH_BYTES } from '../../revision/file-closure.ts';
import { localFiles } from '../workers/local-files.ts';

/*
 * The names of blobs, as records that are added to a file: the SHA-256 of a content, the name, and a checksum of both, by
 * which records that were cut off are known.
 */

const CHECKED_BYTES = HASH_BYTES + NAME_BYTES;
const RECORD_BYTES = CHECKED_BYTES + 4;

/** A file of more bytes begins anew: most of it may be contents that no revision has any more. */
const MAX_BYTES = 256 * 2 ** 20;

/** Creates the file, or makes it end where a record does. */
export async function prepareNames(file: string): Promise<void> {
  await appendFile(file, '', { mode: 0o600 });
  const { size } = await stat(file);
  const left = size > MAX_BYTES ? 0 : size - (size % RECORD_BYTES);
  if (left < size) await truncate(file, left);
}

export function encodeName(sha256: string, name: string): Buffer {
  const record = Buffer.alloc(RECORD_BYTES);
  record.write(sha256, 'hex');
  record.write(name, HASH_BYTES, 'latin1');
  record.writeUInt32LE(crc32(record.subarray(0, CHECKED_BYTES)), CHECKED_BYTES);
  return record;
}

/** The names in a file, by contents. */
export class BlobNames {
  readonly #names = new Map<string, string>();

  constructor(file: string) {
    const bytes = localFiles.read(file);
    const records = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at + RECORD_BYTES <= records.length; at += RECORD_BYTES) {
      const end = at + CHECKED_BYTES;
      if (records.readUInt32LE(end) !== crc32(records.subarray(at, end))) continue;
      const name = records.toString('latin1', at + HASH_BYTES, end);
      this.#names.set(records.toString('latin1', at, at + HASH_BYTES), name);
    }
  }

  of(sha256: string): string | undefined {
    return this.#names.get(Buffer.from(sha256, 'hex').toString('latin1'));
  }
}
