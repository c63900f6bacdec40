import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { writeFileAtomically } from '../tree/files.ts';
import { formatLibraryAddress, type LibraryAddress } from './library-address.ts';

/** Which revision a release names, and its manifest among the objects of the cache. */
export interface ReleaseHead {
  revision: number;
  /** Of the manifest's bytes, and how many these are. */
  sha256: string;
  size: number;
}

/** Returns what this machine last saw under the name of a release; null if nothing. The Python package shares the records. */
export function readReleaseHead(
  cacheFolder: string,
  server: string,
  address: LibraryAddress,
): ReleaseHead | null {
  try {
    const [head, body = ''] = readFileSync(fileOf(cacheFolder, server, address), 'utf8').split('\n', 2);
    return head === checksum(body) ? (JSON.parse(body) as ReleaseHead) : null;
  } catch {
    return null;
  }
}

/** Never throws: without the record, reading the release needs its service. */
export function writeReleaseHead(
  cacheFolder: string,
  server: string,
  address: LibraryAddress,
  head: ReleaseHead,
): void {
  const body = JSON.stringify(head);
  try {
    writeFileAtomically(fileOf(cacheFolder, server, address), `${checksum(body)}\n${body}`);
  } catch {
    // A cache that cannot be written costs transfers and nothing else.
  }
}

function fileOf(cacheFolder: string, server: string, address: LibraryAddress): string {
  const at = server.replace(/[^\p{L}\p{N}.-]/gu, (letter) => `_${letter.codePointAt(0)?.toString(16)}_`);
  return join(
    cacheFolder,
    'assets/heads',
    at.slice(0, 200),
    at.slice(200),
    `${formatLibraryAddress(address)}.json`,
  );
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, '0');
}
