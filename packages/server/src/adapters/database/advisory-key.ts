import { hash } from 'node:crypto';

/** The key of an advisory lock of PostgreSQL, a signed 64-bit number as text, since these locks have no names. */
export function advisoryKey(name: string): string {
  return Buffer.from(hash('sha256', `bindery ${name}`), 'hex')
    .readBigInt64LE()
    .toString();
}
