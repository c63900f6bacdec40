import { decodeText } from '@bindery/formats';
import type { BoundedFileReader } from '../file-reader.ts';
import type { FileFacts } from '../formats/format.ts';
import { type LicenseMatch, matchLicenseText } from '../license/match-text.ts';
import { namedLicenses } from '../license/spdx-expressions.ts';

const MAX_BYTES = 512 * 1024;
const MAX_REMEMBERED = 64;

/** Matches by text, since collections repeat one text in many folders. */
const matchCache = new Map<string, LicenseMatch | null>();

/** Reads the licence that a file contains or names: by its text, else by its tags, its title or the URLs in it. */
export function readLicenseFile(file: BoundedFileReader): FileFacts {
  const text = decodeText(file.head(MAX_BYTES));
  const matched = matchCached(text);
  const license = matched?.expression ?? namedLicenses(text);
  return {
    type: 'license',
    certain: true,
    references: [],
    metadata: license === undefined ? undefined : { license, certainty: matched?.certainty },
  };
}

function matchCached(text: string): LicenseMatch | null {
  const known = matchCache.get(text);
  if (known !== undefined) return known;
  const matched = matchLicenseText(text);
  if (matchCache.size >= MAX_REMEMBERED) matchCache.clear();
  matchCache.set(text, matched);
  return matched;
}
