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
  /** Its name or content is that of a key or password. */
  | 'likely secret'
  /** `by` an ignore file. */
  | 'ignored'
  /** `by` whoever publishes. */
  | 'excluded'
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
  /** The rule that leaves it out: `.gitignore:3 (*.log)`, or the pattern of whoever publishes. */
  by?: string;
}

/** Reasons that somebody states; everything else follows from what a file is. */
const STATED: ReadonlySet<SkipReason> = new Set(['ignored', 'excluded', 'likely secret']);

export function isStated(reason: SkipReason): boolean {
  return STATED.has(reason);
}

/** `ignored by .gitignore:3 (*.log)`, `hidden`. */
export function describeRule({ reason, by }: Pick<SkippedPath, 'reason' | 'by'>): string {
  return by === undefined ? (reason === 'likely secret' ? 'a likely secret' : reason) : `${reason} by ${by}`;
}

/** Returns those paths that are in the folder, or may be, and are left out by a rule or as likely secrets. */
export function findWithheld(paths: readonly string[], leftOut: readonly SkippedPath[]): SkippedPath[] {
  const stated = new Map(leftOut.flatMap((one) => (isStated(one.reason) ? [[one.path, one] as const] : [])));
  if (stated.size === 0) return [];
  return paths.flatMap((path) => {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const found = stated.get(path.slice(0, end));
      if (found !== undefined) return [{ ...found, path }];
    }
    return [];
  });
}

/** Returns why a name is not published, or null: dot files can hold secrets or tool state, system files are noise. */
export function skipReasonOf(name: string): SkipReason | null {
  if (name.startsWith('.')) return 'hidden';
  return SYSTEM_NAMES.has(name.toLowerCase()) ? 'system file' : null;
}
