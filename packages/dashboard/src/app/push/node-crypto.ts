import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** What the SDK takes from `node:crypto`, for browsers: hashes of manifests and of other short texts. */
export function hash(_algorithm: 'sha256', data: string | Uint8Array): string {
  return bytesToHex(sha256(typeof data === 'string' ? utf8ToBytes(data) : data));
}
