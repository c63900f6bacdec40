import { fileURLToPath } from 'node:url';
import { parseServerAddress } from '../client/server-urls.ts';

/** Where a mirror is: a folder on this machine, or a web server's `url`, without a trailing slash. */
export type MirrorLocation = { folder: string } | { url: string };

/** At least two characters, since a single letter is a Windows drive. */
const SCHEME = /^([a-z][a-z0-9+.-]+):/i;

/** Parses a folder, or a `file:`, `http:` or `https:` URL. Throws a `TypeError` that says what is wrong. */
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
