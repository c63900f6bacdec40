import { ASSET_ID } from '@bindery/contract/wire';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

const LONGEST = 128;
const SHORT_HASH = 8;
const COMBINING_MARK = /\p{M}/gu;

/**
 * Derives asset ids from the names of folders and files. A valid id is used unchanged. Other names lose their accents,
 * and each run of characters that an id cannot contain becomes a dash. If two names would get the same id, or nothing
 * readable is left, part of the name's SHA-256 is appended, so that an id never depends on the order of the names.
 */
export function assetIdsFor(names: readonly string[]): Map<string, string> {
  const ids = new Map<string, string>();
  const wanted = new Map<string, number>();
  for (const name of names) {
    const id = isAssetId(name) ? name : readablePart(name);
    ids.set(name, id);
    wanted.set(id, (wanted.get(id) ?? 0) + 1);
  }
  for (const [name, id] of ids) {
    const alone = wanted.get(id) === 1 && id !== '';
    if (!isAssetId(name) && !alone) ids.set(name, withHash(id, name));
  }
  return ids;
}

export function isAssetId(name: string): boolean {
  return ASSET_ID.pattern.test(name);
}

function readablePart(name: string): string {
  return name
    .normalize('NFKD')
    .replace(COMBINING_MARK, '')
    .replace(/[^a-zA-Z0-9._-]+/g, '-')
    .replace(/^[^a-zA-Z0-9]+/, '')
    .slice(0, LONGEST)
    .replace(/-+$/, '');
}

function withHash(readable: string, name: string): string {
  const hash = bytesToHex(sha256(utf8ToBytes(name))).slice(0, SHORT_HASH);
  return `${(readable || 'asset').slice(0, LONGEST - SHORT_HASH - 1)}-${hash}`;
}
