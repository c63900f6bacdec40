import { forEachBounded } from '@bindery/concurrency';
import { unlessMissing } from '../objects/missing.ts';
import { RevisionIndex } from '../revision/revision-index.ts';
import type { ObjectFolder } from './ports.ts';
import type { StoredLibrary } from './stored-library.ts';

const COPIED_AT_ONCE = 8;

/** An object that could not be copied whole. */
export interface LostObject {
  library: string;
  sha256: string;
  reason: 'missing' | 'damaged';
}

export interface CopyResult {
  /** Distinct objects that these libraries consist of. */
  objects: number;
  /** What was not in the target yet. */
  copied: number;
  bytes: number;
  lost: LostObject[];
}

/** Copies what the libraries consist of, each object verified against the hash that names it. */
export async function copyLibraries(
  libraries: readonly StoredLibrary[],
  from: ObjectFolder,
  to: ObjectFolder,
): Promise<CopyResult> {
  const result: CopyResult = { objects: 0, copied: 0, bytes: 0, lost: [] };
  for (const library of libraries) {
    const done = documentsOf(library);
    await copyObjects(library, done, from, to, result);
    // One closure in memory at a time, beside the hashes that were copied.
    for (const index of indexesOf(library)) {
      const closure = (await closureOf(library, index, to)) ?? new Set();
      await copyObjects(library, closure.difference(done), from, to, result);
      for (const sha256 of closure) done.add(sha256);
    }
  }
  return result;
}

/** Deletes what none of the libraries consists of. A library of which an index is lost keeps everything. */
export async function deleteUnnamed(
  folder: ObjectFolder,
  libraries: readonly StoredLibrary[],
): Promise<void> {
  const byStore = new Map(libraries.map((library) => [library.storeId, library]));
  for (const storeId of await folder.stores()) {
    const library = byStore.get(storeId);
    const kept = library === undefined ? new Set<string>() : await objectsOf(library, folder);
    if (kept === null) continue;
    for await (const object of folder.list(storeId)) {
      if (!kept.has(object.sha256)) await folder.delete(object);
    }
  }
}

async function copyObjects(
  { address, storeId }: StoredLibrary,
  hashes: ReadonlySet<string>,
  from: ObjectFolder,
  to: ObjectFolder,
  result: CopyResult,
): Promise<void> {
  await forEachBounded(hashes, { concurrency: COPIED_AT_ONCE }, async (sha256) => {
    const { outcome, bytes } = await to.copyFrom(from, { storeId, sha256 });
    result.objects++;
    if (outcome === 'copied') {
      result.copied++;
      result.bytes += bytes;
    } else if (outcome !== 'there already') {
      result.lost.push({ library: address, sha256, reason: outcome });
    }
  });
}

/** The objects that no closure names. */
function documentsOf({ revisions }: StoredLibrary): Set<string> {
  const documents = revisions.flatMap(({ manifest, index, codes }) => [manifest, index, codes]);
  return new Set(documents.filter((sha256) => sha256 !== null));
}

function indexesOf({ revisions }: StoredLibrary): Set<string> {
  return new Set(revisions.map(({ index }) => index));
}

/** Everything that a library consists of; null where one of its indexes is not in the folder. */
async function objectsOf(
  library: StoredLibrary,
  folder: Pick<ObjectFolder, 'read'>,
): Promise<Set<string> | null> {
  const objects = documentsOf(library);
  for (const index of indexesOf(library)) {
    const closure = await closureOf(library, index, folder);
    if (closure === null) return null;
    for (const sha256 of closure) objects.add(sha256);
  }
  return objects;
}

/** The hashes of a revision's files; null where its index is not in the folder. */
async function closureOf(
  { storeId }: StoredLibrary,
  index: string,
  folder: Pick<ObjectFolder, 'read'>,
): Promise<Set<string> | null> {
  const bytes = await unlessMissing(folder.read({ storeId, sha256: index }));
  if (bytes === null) return null;
  const { files } = RevisionIndex.open(bytes);
  return new Set(Array.from({ length: files.count }, (_, place) => files.sha256(place)));
}
