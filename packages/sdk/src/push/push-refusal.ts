import type { Manifest } from '@bindery/contract';
import {
  EMPTY_BASE,
  type FolderRecord,
  findRevertedChanges,
  type LibraryState,
  type RevertedChange,
  rootFilesAmong,
  stateOf,
} from '../base/library-state.ts';
import { PushRefusedError, sentenceWithPaths } from '../failures.ts';
import { formatLibraryAddress } from '../library/library-address.ts';
import type { RemoteLibrary } from '../library/read-library.ts';
import { planPush } from './push-plan.ts';

/**
 * Returns why a push needs `force`, or null: it would undo what others did since the folder was last in step with the
 * library or, if it never was, delete what others published.
 */
export function pushRefusal(
  local: { manifest: Manifest; rootFiles: LibraryState['rootFiles'] },
  remote: RemoteLibrary | null,
  remembered: FolderRecord | null | 'damaged',
): PushRefusedError | null {
  if (remote === null) return null;
  const library = formatLibraryAddress(remote.row);
  if (remembered === null)
    return deletionRefusal(planPush(local.manifest, remote.manifest).assets.removed, library);
  const here = stateOf(local.manifest, local.rootFiles);
  const there = stateOf(remote.manifest, rootFilesAmong(remote.artifacts.values()));
  return remembered === 'damaged'
    ? revertRefusal(findRevertedChanges(here, there, { base: EMPTY_BASE }), DAMAGED, library)
    : revertRefusal(findRevertedChanges(here, there, remembered), REMOTE_CHANGED, library);
}

const REMOTE_CHANGED =
  'others changed the library since this folder was last in sync with it, and this push would undo their changes:';
const DAMAGED = 'the sync state of this folder is damaged, and this push might undo changes of others:';

function revertRefusal(
  undone: readonly RevertedChange[],
  sentence: string,
  library: string,
): PushRefusedError | null {
  if (undone.length === 0) return null;
  return new PushRefusedError(
    sentenceWithPaths(
      sentence,
      undone.map(({ item, change }) => `${item} (${EXPLAINED[change]})`),
    ),
    { items: undone.map(({ item }) => item), pullFirst: library },
  );
}

const EXPLAINED: Readonly<Record<RevertedChange['change'], string>> = {
  added: 'added there',
  changed: 'changed there',
  deleted: 'deleted there; a pull does not delete it here',
};

function deletionRefusal(removed: readonly string[], library: string): PushRefusedError | null {
  if (removed.length === 0) return null;
  return new PushRefusedError(
    sentenceWithPaths(
      'this folder was never in sync with the library, and this push would delete assets from it:',
      removed,
    ),
    { items: removed, pullFirst: library },
  );
}
