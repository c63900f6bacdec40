import { fileURLToPath } from 'node:url';
import { parseServerAddress } from '../client/address.ts';

/** Where a mirror is: a folder of this machine, or what a web server serves below `url`, which has no slash at its end. */
export type MirrorLocation = { folder: string } | { url: string };

/** Two letters at least, since one is a drive of Windows. */
const SCHEME = /^([a-z][a-z0-9+.-]+):/i;

/** Reads a folder, or an address that begins with `file:`, `http:` or `https:`. Throws a `TypeError` that says what is wrong. */
export function parseMirrorLocation(text: string): MirrorLocation {
  if (text === '') throw new TypeError('A mirror is a folder or an address.');
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return { folder: text };
  if (scheme === 'http' || scheme === 'https') return { url: parseServerAddress(text) };
  if (scheme === 'file') return { folder: folderOfUrl(text) };
  throw new TypeError(
    `A mirror is a folder, or an address that begins with file:, http: or https: ("${text}").`,
  );
}

function folderOfUrl(text: string): string {
  try {
    return fileURLToPath(text);
  } catch {
    throw new TypeError(
      `"${text}" does not name a folder of this machine; expected something like file:///media/stick/mirror`,
    );
  }
}
