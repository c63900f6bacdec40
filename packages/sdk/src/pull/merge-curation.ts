import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CURATION_FILE } from '@bindery/contract/wire';
import type { FolderRecord } from '../base/library-state.ts';
import type { CurationConflict } from '../curation/merge.ts';
import { mergeableText } from '../curation/mergeable-text.ts';
import { downloadFiles } from '../library/read-library.ts';
import { writeWhole } from '../place/placer.ts';
import type { TargetFile } from '../place/written-files.ts';
import { identityOf, identityText } from '../tree/file-identity.ts';
import type { GuardedFolder, ReplaceableFiles } from '../tree/guarded-folder.ts';
import type { PulledRevision, RevisionOptions } from './revision.ts';

/** The folder's `bindery.yml` merged with that of the library, and not written yet. */
export interface PendingMerge {
  file: TargetFile;
  text: string;
  sha256: string;
  conflicts: CurationConflict[];
  /** The text in the library, and the one that both come from. */
  theirs: string;
  base: string;
  /** What the merged text may replace: the folder's text if all of it is in the merged one. */
  replaceable: ReplaceableFiles;
}

/**
 * Merges the folder's `bindery.yml` with that of a revision, key by key. Where both changed a value to different ones,
 * the folder's is kept with `keep`, else the library's. Null if it was not edited, or cannot be merged.
 */
export async function mergeEdited(
  folder: GuardedFolder,
  { client, address, wanted }: PulledRevision,
  edited: Iterable<TargetFile>,
  record: FolderRecord,
  { keep = false, mirror, signal }: RevisionOptions & { keep?: boolean | undefined },
): Promise<PendingMerge | null> {
  const file = wanted.get(CURATION_FILE);
  if (file === undefined || ![...edited].includes(file)) return null;
  const mine = readCuration(folder);
  const base = mine && textInCommon(record, mine.text);
  if (mine === null || base === null) return null;
  const remote = { ...file, path: file.remotePath };
  const bytes =
    mirror === undefined
      ? (await downloadFiles(client, address, [remote], signal)).get(remote.path)
      : Buffer.concat(await Array.fromAsync(mirror.read(file, signal)));
  const theirs = mergeableText(bytes ?? null);
  if (theirs === undefined) return null;
  const { mergeCuration } = await import('../curation/merge.ts');
  const merged = mergeCuration(base, mine.text, theirs, keep ? 'mine' : 'theirs');
  if (merged === null) return null;
  const isKept = keep || merged.conflicts.length === 0;
  const replaceable: ReplaceableFiles = new Map(isKept ? [[CURATION_FILE, mine.identity]] : []);
  return { ...merged, file, sha256: hashOf(merged.text), theirs, base, replaceable };
}

/** Returns the text that the folder's comes from; null if it is not known. */
function textInCommon(record: FolderRecord, mine: string): string | null {
  const unfinished = record.unmerged?.find(
    ({ path, here }) => path === CURATION_FILE && here === hashOf(mine),
  );
  const text = (unfinished ? record.earlierCuration : record.curation) ?? '';
  const sha256 = unfinished ? unfinished.base : record.base.rootFiles.get(CURATION_FILE);
  return hashOf(text) === (sha256 ?? hashOf('')) ? text : null;
}

export function writeMerged(folder: GuardedFolder, { text, sha256, file: { path } }: PendingMerge): void {
  const content = Buffer.from(text);
  writeWhole({ path, size: content.byteLength, sha256 }, content, folder);
}

/** Returns the folder's `bindery.yml` if it can be merged, and the identity of the file that was read. */
export function readCuration(folder: GuardedFolder): { text: string; identity: string } | null {
  if (folder.lstat(CURATION_FILE)?.isFile() !== true) return null;
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);
  const descriptor = openSync(join(folder.root, CURATION_FILE), flags);
  try {
    const identity = identityText(identityOf(fstatSync(descriptor, { bigint: true })));
    const text = mergeableText(readFileSync(descriptor));
    return text === undefined ? null : { text, identity };
  } finally {
    closeSync(descriptor);
  }
}

function hashOf(text: string): string {
  return hash('sha256', text);
}
