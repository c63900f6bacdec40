import type { MaintenanceContext } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { type OpenedRevision, openRevision } from '../objects/open-revision.ts';
import type { Target } from './targets.ts';

/** An existing target that cannot be read, and why. */
export interface UnreadableTarget {
  target: Target;
  error: ServiceError;
}

/**
 * Opens the revisions of targets. Targets that have disappeared in the meantime are left out; those that cannot be read
 * are added to `unreadable`, since one library must not keep the others from being searched.
 */
export async function* openTargets(
  context: MaintenanceContext,
  targets: readonly Target[],
  unreadable: UnreadableTarget[],
  open: (context: MaintenanceContext, row: Target['row']) => Promise<OpenedRevision> = openRevision,
): AsyncGenerator<[Target, OpenedRevision]> {
  for (const target of targets) {
    const opened = await open(context, target.row).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code !== 'not_found') unreadable.push({ target, error });
      return null;
    });
    if (opened) yield [target, opened];
  }
}
