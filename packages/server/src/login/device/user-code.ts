import { randomInt } from 'node:crypto';

/** Consonants that are not mistaken for one another; without vowels, codes do not form words. */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

/** Returns a new code as it is stored: eight letters, one of 20^8. */
export function makeUserCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** Formats a code for people as `XXXX-XXXX`. */
export function formatUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

/** Normalises what a person typed, ignoring case, dashes and spaces. Null if it cannot be a code. */
export function parseUserCode(typed: string): string | null {
  const code = typed.replace(/[\s\-‐-―]/g, '').toUpperCase();
  return code.length === LENGTH && [...code].every((letter) => ALPHABET.includes(letter)) ? code : null;
}
