/** Files that operating systems drop into folders; compared without regard to letter case. */
const SYSTEM_NAMES = new Set([
  'thumbs.db',
  'desktop.ini',
  '__macosx',
  '$recycle.bin',
  'system volume information',
]);

export type LeftOutReason =
  | 'hidden'
  | 'system file'
  | 'link to a folder'
  | 'link out of the folder'
  | 'broken link'
  | 'not a regular file'
  | 'credits of a pull'
  /** It lies among assets, and none of them needs it. */
  | 'in no asset'
  /** A README that is too long to travel with the library. */
  | 'too long';

/** Something in the folder that is no part of the library. `path` is relative to the folder. */
export interface LeftOut {
  path: string;
  reason: LeftOutReason;
}

/** Why nothing of this name is published, or null: dot files may hold secrets or state of tools, system files are noise. */
export function leftOutByName(name: string): LeftOutReason | null {
  if (name.startsWith('.')) return 'hidden';
  return SYSTEM_NAMES.has(name.toLowerCase()) ? 'system file' : null;
}
