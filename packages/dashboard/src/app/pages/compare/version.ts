import type { LoggedRegister, Release } from '@bindery/contract';
import { RELEASE_NAME } from '@bindery/contract/wire';
import type { LibraryKey } from '../../queries.ts';
import { singlesOf } from '../../url.ts';

/**
 * One side of a comparison: a release, a revision by its number, what an open proposal makes of the library, or what is
 * current. `unread`: a proposal of which the viewer cannot read the files.
 */
export type Version =
  | { release: string }
  | { revision: number }
  | { proposal: number }
  | 'current'
  | 'unread';

/** The two sides of a comparison. */
export interface Sides {
  library: Pick<LibraryKey, 'namespace' | 'library' | 'share'>;
  from: Version;
  to: Version;
}

/** The search parameters of the page: `@v1` is a release, `7` a revision, and an absent side the current revision. */
export const readCompareSearch = (values: Record<string, unknown>) =>
  singlesOf(values, 'from', 'to', 'share');

/** Null for what names no version. */
export function parseVersion(text: string | undefined): Version | null {
  if (text === undefined) return 'current';
  if (/^[1-9]\d{0,14}$/.test(text)) return { revision: Number(text) };
  return text.startsWith('@') && RELEASE_NAME.pattern.test(text.slice(1)) ? { release: text.slice(1) } : null;
}

/** The part of a request's query that names a version. */
export function versionQuery(version: Version): { release?: string; revision?: string; proposal?: string } {
  if (typeof version === 'string') return {};
  if ('proposal' in version) return { proposal: String(version.proposal) };
  return 'release' in version ? { release: version.release } : { revision: String(version.revision) };
}

/** A version that can be compared. */
export interface VersionChoice {
  /** As in the address. */
  value: string;
  revision: number;
  release: string | null;
  fileCount: number;
}

/** What can be compared, newest first: releases, and the revisions that the viewer can read. */
export function versionChoices(
  registers: readonly LoggedRegister[],
  releases: readonly Release[],
): VersionChoice[] {
  const numbered = registers
    .filter(({ isReadable }) => isReadable)
    .map(({ revision, fileCount }) => ({ value: String(revision), revision, release: null, fileCount }));
  const named = releases.map(({ name, revision, fileCount }) => ({
    value: `@${name}`,
    revision,
    release: name,
    fileCount,
  }));
  return [...named, ...numbered].sort((one, other) => other.revision - one.revision);
}
