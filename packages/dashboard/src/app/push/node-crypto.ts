import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Browser replacement for what the SDK uses of `node:crypto`: hashes of manifests and other short texts. */
export function hash(_algorithm: 'sha256', data: string | Uint8Array): string {
  return bytesToHex(sha256(typeof data === 'string' ? utf8ToBytes(data) : data));
}
