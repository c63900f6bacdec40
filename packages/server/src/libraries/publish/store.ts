import { LIMITS } from '@bindery/contract';
import type { MaintenanceContext } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import {
  clearDamaged,
  clearReplacedDamage,
  damagedObjects,
  recordReplaced,
} from '../../objects/health/damage.ts';
import { markForReclaim } from '../../objects/retention/retire.ts';
import { contentsOf, type StoredObject } from '../../objects/store.ts';
import { pathsMismatched } from '../../objects/uploads.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { type ClosureFile, FileClosure } from '../../revision/file-closure.ts';
import { decodeSections } from '../../revision/sections.ts';
import { type ManifestSource, manifestMissing, type Source } from './build.ts';
import { type RevisionVectors, readSidecar } from './read-sidecar.ts';
import type { BuiltRevision, MissingPaths } from './revision-workers.ts';

type Store = MaintenanceContext & {
  storeId: string;
  /** Objects known to be damaged or missing. */
  lost: ReadonlySet<string>;
};

/** What a revision consists of, as durable objects. */
export interface StoredRevision {
  closure: FileClosure;
  indexSha256: string;
  /** The object with the list of platform artifacts; null if there are none. */
  artifactsSha256: string | null;
  /** The object with what makes the previous revision of this one; null if that is kept whole. */
  differencesSha256: string | null;
  vectors: RevisionVectors;
  /** Problems that do not fail the register. */
  warnings: string[];
}

/**
 * Verifies that every new file of a built revision is stored, makes it a durable object, and stores what the service
 * itself adds. What the store has lost of the other files must have been sent again. Throws `files_missing` or
 * `content_mismatch`.
 */
export async function storeRevision(
  context: MaintenanceContext,
  { storeId, library, manifest, since }: Source,
  built: BuiltRevision,
): Promise<StoredRevision> {
  const { objects } = context;
  const closure = new FileClosure(decodeSections(built.index));
  const lost = await findLostContent(context, storeId, closure, built.added);
  const wanted = new Uint32Array(built.added.length + lost.places.length);
  wanted.set(built.added);
  wanted.set(lost.places, built.added.length);
  const store = { ...context, storeId, lost: lost.hashes };
  await verifyStored(store, since, closure, wanted, built.missingArtifacts);
  await markForReclaim(context, storeId);
  await promoteStored(store, closure, wanted);
  await promoteManifest(context, storeId, manifest);
  await recordReplaced(context, storeId, lost.sentAgain);
  const { sha256: indexSha256 } = await objects.write(storeId, built.index);
  const list = built.artifactList && (await objects.write(storeId, built.artifactList));
  const differences = built.differences && (await objects.write(storeId, built.differences));
  const owner = { storeId, indexSha256, library, lost: lost.artifacts };
  const { vectors, warnings } = await readSidecar(context, owner, built.sidecar);
  return {
    ...{ closure, indexSha256, artifactsSha256: list?.sha256 ?? null, vectors },
    differencesSha256: differences?.sha256 ?? null,
    warnings: [...warnings, ...warningsOf(lost)],
  };
}

/**
 * Verifies that every file is stored with its size and hash, staged or as an object. Uploads up to number `since`
 * belong to earlier registers. Throws `files_missing` or `content_mismatch`; changes nothing.
 */
async function verifyStored(
  store: Store,
  since: number,
  closure: FileClosure,
  places: Uint32Array,
  missingArtifacts: MissingPaths,
): Promise<void> {
  const missing: MissingPaths = { paths: [...missingArtifacts.paths], total: missingArtifacts.total };
  const differing: MissingPaths = { paths: [], total: 0 };
  const sizeOf = await storedSizes(store, closure, places);
  for (const files of chunks(closure, places)) {
    const compared = await compareStored({ ...store, sizeOf }, since, files);
    addPaths(missing, compared.missing);
    addPaths(differing, compared.mismatched);
  }
  if (missing.total > 0) throw filesMissing(missing);
  if (differing.total > 0) throw contentMismatch(differing);
}

/** Makes files durable objects. Throws `files_missing` for those that have vanished or lost bytes since. */
async function promoteStored(
  { objects, storeId }: Pick<Store, 'objects' | 'storeId'>,
  closure: FileClosure,
  places: Uint32Array,
): Promise<void> {
  const vanished = new Set(await objects.promote(storeId, contents(closure, places)));
  if (vanished.size === 0) return;
  const lost: MissingPaths = { paths: [], total: 0 };
  for (const files of chunks(closure, places)) {
    addPaths(
      lost,
      files.filter(({ sha256 }) => vanished.has(sha256)).map(({ path }) => path),
    );
  }
  throw filesMissing(lost);
}

/**
 * Returns a function that looks up sizes. Without a staging area every pushed file is an object, so it gets all sizes
 * in one call.
 */
async function storedSizes(
  { objects, storeId, lost }: Store,
  closure: FileClosure,
  places: Uint32Array,
): Promise<SizeOf> {
  const sizeOf: SizeOf = async ({ sha256 }) => (lost.has(sha256) ? null : objects.size({ storeId, sha256 }));
  if (objects.hasStaging) return sizeOf;
  const wanted = [...contents(closure, places)];
  const missing = await objects.findAbsent(storeId, contentsOf(wanted));
  const unsure = new Set([...missing.map((place) => wanted[place]?.sha256 ?? ''), ...lost]);
  const known = new Map(wanted.map(({ sha256, size }) => [sha256, size]));
  return async (file) => (unsure.has(file.sha256) ? sizeOf(file) : (known.get(file.sha256) ?? null));
}

/** Returns the size of the stored object with the hash of a file; null if there is none. */
type SizeOf = (file: ClosureFile) => Promise<number | null>;

async function compareStored(
  store: Store & { sizeOf: SizeOf },
  since: number,
  files: readonly ClosureFile[],
): Promise<{ missing: string[]; mismatched: string[] }> {
  const { objects, storeId, sizeOf } = store;
  const contents = distinctContents(files);
  const sizes = new Map(contents.map(({ sha256, size }) => [sha256, size]));
  const staged = await objects.findStaged(storeId, contents);
  const others = files.filter(({ sha256, size }) => !staged.has(sha256) || sizes.get(sha256) !== size);
  const stored = await Promise.all(others.map(sizeOf));
  const absent = others.filter((_, at) => stored[at] === null);
  const mismatched = others
    .filter(({ size }, at) => ![null, size].includes(stored[at] ?? null))
    .map(({ path }) => path);
  if (absent.length === 0) return { missing: [], mismatched };
  const differing = await pathsMismatched(store, since, absent);
  const missing = absent.map(({ path }) => path).filter((path) => !differing.has(path));
  return { missing, mismatched: [...mismatched, ...differing] };
}

function* contents(closure: FileClosure, places: Uint32Array): Generator<StoredObject> {
  for (const files of chunks(closure, places)) yield* distinctContents(files);
}

function* chunks(closure: FileClosure, places: Uint32Array): Generator<ClosureFile[]> {
  for (const chunk of chunksOf(closure, places)) yield chunk.map(({ file }) => file);
}

function addPaths(lacking: MissingPaths, paths: readonly string[]): void {
  lacking.paths.push(...paths.slice(0, LIMITS.listedPaths - lacking.paths.length));
  lacking.total += paths.length;
}

function filesMissing({ paths, total }: MissingPaths): ServiceError {
  const message = `${total} of the manifest's files are not stored. Upload them and register again.`;
  return new ServiceError('files_missing', message, { paths, total });
}

function contentMismatch({ paths, total }: MissingPaths): ServiceError {
  const message =
    `${total} of the manifest's files were uploaded with a different size or content. ` +
    'Upload the files that the manifest describes, or register a manifest that matches them.';
  return new ServiceError('content_mismatch', message, { paths, total });
}

/** What the store has lost of a closure's files that are not new. */
interface LostContent {
  /** All objects that are known to be damaged or missing. */
  hashes: ReadonlySet<string>;
  /** Positions of files that must be stored again. */
  places: number[];
  /** Their hashes. */
  sentAgain: string[];
  /** Paths of platform artifacts that were not sent again. They are derived, so the revision can do without them. */
  artifacts: string[];
}

/** Looks up every file of a closure except those at `added`. */
async function findLostContent(
  context: MaintenanceContext,
  storeId: string,
  closure: FileClosure,
  added: Uint32Array,
): Promise<LostContent> {
  const { db, objects } = context;
  await clearReplacedDamage(context, storeId);
  const damaged = await damagedObjects(db, storeId);
  const lost = new Set(await objects.findAbsent(storeId, closure.contents));
  for (let place = 0; damaged.size > 0 && place < closure.count; place++) {
    if (damaged.has(closure.sha256(place))) lost.add(place);
    if (turnIsOver()) await nextTurn();
  }
  for (const place of added) {
    lost.delete(place);
    if (turnIsOver()) await nextTurn();
  }
  const places: number[] = [];
  const artifacts: string[] = [];
  const sentAgain = new Set<string>();
  const hashes = new Set(damaged);
  for (const chunk of chunksOf(closure, Uint32Array.from(lost))) {
    const staged = await objects.findStaged(storeId, distinctContents(chunk.map(({ file }) => file)));
    for (const { place, file } of chunk) {
      if (file.platform && !staged.has(file.sha256)) artifacts.push(file.path);
      else {
        places.push(place);
        sentAgain.add(file.sha256);
        hashes.add(file.sha256);
      }
    }
  }
  return { hashes, places, sentAgain: [...sentAgain], artifacts };
}

/** How many files are looked up at a time. */
const FILES_AT_ONCE = 500;

interface PlacedFile {
  place: number;
  file: ClosureFile;
}

/** The files at these positions of a closure, in batches. */
function* chunksOf(closure: FileClosure, places: Uint32Array): Generator<PlacedFile[]> {
  for (let at = 0; at < places.length; at += FILES_AT_ONCE) {
    yield Array.from(places.subarray(at, at + FILES_AT_ONCE), (place) => ({
      place,
      file: closure.at(place),
    }));
  }
}

/** One per hash. If a manifest claims two sizes for a hash, the first counts. */
function distinctContents(files: readonly ClosureFile[]): StoredObject[] {
  const bySha256 = new Map<string, StoredObject>();
  for (const { sha256, size } of files) if (!bySha256.has(sha256)) bySha256.set(sha256, { sha256, size });
  return [...bySha256.values()];
}

function warningsOf({ artifacts }: LostContent): string[] {
  const [first] = artifacts;
  if (first === undefined) return [];
  const others = artifacts.length > 1 ? ` and ${artifacts.length - 1} more` : '';
  return [`The service has lost ${first}${others}. A push with --thumbnails and --embed creates them again.`];
}

async function promoteManifest(
  { db, objects }: MaintenanceContext,
  storeId: string,
  { sha256, size, made }: ManifestSource,
): Promise<void> {
  if (made) await objects.requireRoom(size);
  const isStored = made
    ? (await objects.write(storeId, made)).sha256 === sha256
    : (await objects.promote(storeId, [{ sha256, size }])).length === 0;
  if (!isStored) throw manifestMissing('The manifest is no longer stored. Upload it again.');
  await clearDamaged(db, storeId, [sha256]);
}
