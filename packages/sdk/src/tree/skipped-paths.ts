/** Names that operating systems put into folders; compared case-insensitively. */
const SYSTEM_NAMES = new Set([
  'thumbs.db',
  'desktop.ini',
  '__macosx',
  '$recycle.bin',
  'system volume information',
]);

export type SkipReason =
  | 'hidden'
  | 'system file'
  | 'link to a folder'
  | 'link out of the folder'
  | 'broken link'
  | 'not a regular file'
  | 'credits of a pull'
  /** It is among assets, but none of them needs it. */
  | 'in no asset'
  /** A README that is too long to be published with the library. */
  | 'too long';

/** Something in the folder that is not part of the library. `path` is relative to the folder. */
export interface SkippedPath {
  path: string;
  reason: SkipReason;
}

/** Returns why a name is not published, or null: dot files can hold secrets or tool state, system files are noise. */
export function skipReasonOf(name: string): SkipReason | null {
  if (name.startsWith('.')) return 'hidden';
  return SYSTEM_NAMES.has(name.toLowerCase()) ? 'system file' : null;
}
