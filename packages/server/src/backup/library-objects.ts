import { createHash, hash } from 'node:crypto';
import { forEachBounded } from '@bindery/concurrency';
import type { Database } from '../database/schema.ts';
import type { LibrariesTable } from '../database/tables/libraries.ts';
import { isDamage, ObjectDamaged } from '../objects/damaged.ts';
import { isMissing } from '../objects/missing.ts';
import { openClosure } from '../objects/references.ts';
import type { ObjectAddress } from '../objects/store.ts';
import type { ObjectFolder, StoredLibrary, StoredRevision } from './ports.ts';

const OBJECTS = ['manifest_sha256', 'index_sha256', 'codes_sha256', 'artifacts_sha256'] as const;

/** Returns every library that a restore would bring back, including those in the Trash. */
export async function storedLibraries(db: Database): Promise<StoredLibrary[]> {
  const libraries = await db
    .selectFrom('libraries')
    .innerJoin('namespaces', 'namespaces.id', 'libraries.namespace_id')
    .select(['namespaces.slug', 'libraries.name', 'libraries.store_id', ...OBJECTS])
    .orderBy('namespaces.slug')
    .orderBy('libraries.name')
    .execute();
  const releases = await db
    .selectFrom('releases')
    .select(['store_id', ...OBJECTS])
    .orderBy('name')
    .execute();
  const proposals = await db
    .selectFrom('proposals')
    .select(['store_id', ...OBJECTS])
    .where('state', '=', 'open')
    .orderBy('number')
    .execute();
  const byStore = Map.groupBy([...releases, ...proposals], ({ store_id }) => store_id);
  return libraries.map((row) => ({
    address: `${row.slug}/${row.name}`,
    storeId: row.store_id,
    revisions: [row, ...(byStore.get(row.store_id) ?? [])].map(storedRevision),
  }));
}

function storedRevision(row: Pick<LibrariesTable, (typeof OBJECTS)[number]>): StoredRevision {
  return {
    manifest: row.manifest_sha256,
    index: row.index_sha256,
    codes: row.codes_sha256,
    artifacts: row.artifacts_sha256,
  };
}

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

/** An object that is missing or damaged. */
export interface LostObject {
  library: string;
  sha256: string;
  reason: 'missing' | 'damaged';
}

/** Returns the hashes of a store's objects, with their sizes. */
export async function listSizes(
  folder: Pick<ObjectFolder, 'list'>,
  storeId: string,
): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for await (const { sha256, size } of folder.list(storeId)) sizes.set(sha256, size);
  return sizes;
}

/** Reads an object and reports whether its content matches its hash. */
export async function verifyObject(
  folder: Pick<ObjectFolder, 'stream'>,
  object: ObjectAddress,
): Promise<'intact' | LostObject['reason']> {
  const digest = createHash('sha256');
  try {
    for await (const chunk of folder.stream(object)) digest.update(chunk);
  } catch (error) {
    return reasonOfLoss(error);
  }
  return digest.digest('hex') === object.sha256 ? 'intact' : 'damaged';
}

/** Says how an object is lost that could not be read; throws other errors. */
export function reasonOfLoss(error: unknown): LostObject['reason'] {
  if (isMissing(error)) return 'missing';
  if (isDamage(error)) return 'damaged';
  throw error;
}
