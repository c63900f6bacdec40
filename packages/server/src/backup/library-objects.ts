import { hash } from 'node:crypto';
import { forEachBounded } from '@bindery/concurrency';
import { ObjectDamaged } from '../objects/damaged.ts';
import { openClosure } from '../objects/references.ts';
import type { ObjectFolder } from './ports.ts';
import type { StoredLibrary } from './stored-library.ts';

const VISITED_AT_ONCE = 8;

/** Hashes of objects with their sizes; null if the size is not known. */
type Objects = Map<string, number | null>;

/**
 * Visits every object of a library once, several at a time: first those that no closure names, then the files of each
 * index. The first step may put the indexes into `indexes`; the files of an index that is still missing are skipped.
 */
export async function forEachObject(
  library: StoredLibrary,
  indexes: Pick<ObjectFolder, 'read'>,
  visit: (sha256: string, size: number | null) => Promise<void>,
): Promise<void> {
  const visited = documentsOf(library);
  const visitAll = (objects: Objects) =>
    forEachBounded(objects, { concurrency: VISITED_AT_ONCE }, ([sha256, size]) => visit(sha256, size));
  await visitAll(visited);
  // Holds one closure in memory at a time, plus the hashes that were visited.
  for (const index of indexesOf(library)) {
    const closure = (await closureOf(library, index, indexes)) ?? new Map();
    await visitAll(new Map([...closure].filter(([sha256]) => !visited.has(sha256))));
    for (const [sha256, size] of closure) visited.set(sha256, size);
  }
}

/** Returns all objects of a library; null if one of its indexes is missing or damaged. */
export async function objectsOf(
  library: StoredLibrary,
  folder: Pick<ObjectFolder, 'read'>,
): Promise<Objects | null> {
  const objects = documentsOf(library);
  for (const index of indexesOf(library)) {
    const closure = await closureOf(library, index, folder);
    if (closure === null) return null;
    for (const [sha256, size] of closure) objects.set(sha256, size);
  }
  return objects;
}

/** The objects that no closure names. */
function documentsOf({ revisions }: StoredLibrary): Objects {
  const documents = revisions.flatMap(({ manifest, index, codes, artifacts }) => [
    manifest,
    index,
    codes,
    artifacts,
  ]);
  return new Map(documents.filter((sha256) => sha256 !== null).map((sha256) => [sha256, null]));
}

function indexesOf({ revisions }: StoredLibrary): Set<string> {
  return new Set(revisions.map(({ index }) => index));
}

/** Returns the objects of a revision's files; null if its index is missing or damaged. */
async function closureOf(
  { storeId }: StoredLibrary,
  index: string,
  folder: Pick<ObjectFolder, 'read'>,
): Promise<Objects | null> {
  const files = await openClosure(verified(folder), { storeId, sha256: index });
  if (files === null) return null;
  return new Map(Array.from({ length: files.count }, (_, place) => [files.sha256(place), files.size(place)]));
}

/** The folder as a source of objects whose bytes match their hashes. */
function verified(folder: Pick<ObjectFolder, 'read'>): Pick<ObjectFolder, 'read'> {
  return {
    async read(object) {
      const bytes = await folder.read(object);
      if (hash('sha256', bytes) !== object.sha256) throw new ObjectDamaged(object);
      return bytes;
    },
  };
}
