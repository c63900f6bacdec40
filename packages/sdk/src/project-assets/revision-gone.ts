import { ConflictError } from '../failures.ts';
import type { LockedLibrary } from './lock.ts';

/** What a lock names is no longer available, neither on this machine nor where it was looked for. */
export class RevisionGoneError extends ConflictError {
  constructor(library: string, { release, revision }: LockedLibrary, now: string) {
    const help =
      release === undefined
        ? `A release keeps a revision: "bindery library release ${library} <name>", and then use ${library}@<name>. `
        : '';
    super(
      `${release === undefined ? `revision ${revision}` : `release ${release}`} of ${library} no longer exists: ${now}. ${help}` +
        `"bindery sync --upgrade ${library}" switches to what is available now`,
      [library],
    );
  }
}
