import { hash } from 'node:crypto';
import { join, relative } from 'node:path';
import { LIMITS, routes } from '@bindery/contract/wire';
import { openCache } from '../cache/object-cache.ts';
import type { Client } from '../client/client.ts';
import type { CreditsOptions, WrittenCredits } from '../credits/write-credits.ts';
import { ConflictError, FileChangedError, TreeError } from '../failures.ts';
import { parseLibraryAddress } from '../library/library-address.ts';
import { ValidatedManifestCache } from '../library/manifest-cache.ts';
import { SharedRecords } from '../library/shared-records.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { RequiredSignature } from '../signatures/trusted-signers.ts';
import { replaceFile } from '../tree/files.ts';
import type { ProgressListener } from '../tree/progress.ts';
import type { AmentPrefix } from './ament-prefix.ts';
import {
  ASSETS_FILE,
  type AssetsFile,
  canonicalUses,
  DEFAULT_FOLDER,
  parseAssetsFile,
  withRelease,
} from './assets-file.ts';
import { formatLock, LOCK_FILE, type Lock, parseLock } from './lock.ts';
import {
  idsOf,
  type ReadRevisionParts,
  readLockedRevision,
  readRevision,
  wantedByLock,
} from './locked-revision.ts';
import { newestAddress } from './outdated.ts';
import { type AssetsFolder, PlacedFilesStore, type Project, readProject } from './project.ts';
import { type LibraryRevision, refuseDeniedLicenses, resolveUses } from './resolve-uses.ts';
import { type FolderSyncResult, isFolderInSync, lockedFiles, syncFolder } from './sync-folder.ts';
import { libraryOf } from './use.ts';

export interface SyncOptions {
  cacheFolder: string;
  stateFolder: string;
  /** Use the cache of the machine, and add what is fetched to it; on by default. */
  cache?: boolean | undefined;
  /** Use only the lock, and change nothing but the folder of the assets. */
  frozen?: boolean | undefined;
  /**
   * Upgrade these libraries, or `all`, to what is current: `ns/name`, or `ns/name@release` for that release. Where
   * `assets.yml` names a release, all of its uses of the library move to the newest one.
   */
  upgrade?: 'all' | readonly string[] | undefined;
  /** Download from this mirror instead of from the services. */
  mirror?: Mirror | undefined;
  /** Make the files hard links to those of the cache, which nobody may write to. */
  link?: boolean | undefined;
  /** Replace files that were edited here. */
  force?: boolean | undefined;
  /** Read every local file and every used file of the cache, whatever their times say. */
  verify?: boolean | undefined;
  /** Called once with the reason if the cache cannot be used. The sync goes on without it. */
  onCacheProblem?: ((message: string) => void) | undefined;
  /** Refuse libraries whose release nobody signed; with `signers`, those that none of them signed. */
  requireSigned?: RequiredSignature | undefined;
  /** Write the credits of the assets into their folder. */
  credits?: CreditsOptions | undefined;
  /** Lay out a prefix of ROS 2 in which `package://` of the assets resolves. */
  ros?: boolean | undefined;
  /** Returns the client for a server; null: that of the login. Called only if something is requested. */
  clientFor(server: string | null): Promise<Client>;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

export interface SyncResult extends FolderSyncResult {
  /** The folder of `assets.yml` and `assets.lock`. */
  project: string;
  /** The folder of the assets. */
  folder: string;
  /** Whether the lock was written, because its contents changed. */
  lockChanged: boolean;
  lock: Lock;
  /** The credits that were written; absent if none were requested. */
  credits?: WrittenCredits;
  /** The prefix of ROS 2; absent if none was requested. */
  ros?: AmentPrefix;
}

const MAX_TRIES = 20;

/**
 * Syncs the assets of the project that `folder` belongs to: resolves `assets.yml` if `assets.lock` does not match it,
 * places the files, and then writes the lock. Throws `ProjectFileError`, `ConflictError`, `RevisionGoneError`,
 * `IntegrityError`, `TreeError`, `MirrorError` and the client's errors.
 */
export async function syncProject(folder: string, options: SyncOptions): Promise<SyncResult> {
  for (let tries = 1; ; tries++) {
    try {
      const result = await syncOnce(readProject(folder), options);
      return options.ros ? { ...result, ros: await layOutPackages(result, options) } : result;
    } catch (error) {
      // Another sync of the same project may put files in place while this one reads them.
      if (!(error instanceof FileChangedError) || tries === MAX_TRIES) throw error;
    }
  }
}

async function layOutPackages({ project, folder }: SyncResult, { stateFolder }: SyncOptions) {
  const { layOutAmentPrefix } = await import('./ament-prefix.ts');
  const { files } = new PlacedFilesStore(stateFolder, folder).read();
  return layOutAmentPrefix(
    { root: project, name: relative(project, folder) },
    files.map(({ path }) => path),
  );
}

const EMPTY_ASSETS_FILE: AssetsFile = { server: null, folder: DEFAULT_FOLDER, denyLicenses: [], uses: [] };

async function syncOnce(found: Project, options: SyncOptions): Promise<SyncResult> {
  const project = options.upgrade ? await withNewReleases(found, options.upgrade, options) : found;
  const file = project.assetsFile === null ? null : parseAssetsFile(project.assetsFile);
  const lock = project.lockFile === null ? null : parseLock(project.lockFile);
  const { folder: name, denyLicenses } = file ?? EMPTY_ASSETS_FILE;
  const target = { root: project.root, name };
  const folder = join(project.root, name);
  const placedFiles = new PlacedFilesStore(options.stateFolder, folder);
  const isLockCurrent = lock !== null && lockMatches(lock, file);
  const parts = {
    ...options,
    objects: openCache(options),
    validated:
      options.cache === false || options.verify ? null : new ValidatedManifestCache(options.cacheFolder),
    records: options.cache === false ? null : new SharedRecords(options.cacheFolder, options),
  };
  if (options.frozen && !isLockCurrent) throw lockMismatchError(lock, file);
  // What was laid out without signatures may be of a service's word alone.
  if (lock !== null && isLockCurrent && !options.upgrade && !options.requireSigned) {
    const key = keyOf(lock, denyLicenses);
    const placed = placedFiles.read();
    if (placed.key === key && (await isFolderInSync(target, placed.files, options))) {
      const credits = options.credits && (await openCredits(target, options.credits));
      return {
        project: project.root,
        folder,
        lockChanged: false,
        lock,
        ...unchangedResult(placed.files),
        ...credits?.(lock, await readLockedRevisions(lock, parts)),
      };
    }
  }
  const revisions =
    lock !== null && (options.frozen || file === null)
      ? await readLockedRevisions(lock, parts)
      : await readRevisions(file ?? EMPTY_ASSETS_FILE, lock, parts);
  const next =
    file === null || options.frozen
      ? (lock ?? resolveUses([], revisions))
      : resolveUses(file.uses, revisions);
  refuseDeniedLicenses(denyLicenses, next, revisions);
  await requireSignatures(next, options);
  const files = lockedFiles(next, revisions);
  const credits = options.credits && (await openCredits(target, options.credits));
  const synced = await syncFolder(target, next, files, { ...parts, placedFiles });
  const text = formatLock(next);
  const lockChanged = !options.frozen && text !== project.lockFile?.replaceAll('\r\n', '\n');
  if (project.assetsFile !== null && project.assetsFile !== found.assetsFile)
    replaceFile(join(project.root, ASSETS_FILE), project.assetsFile);
  if (lockChanged) {
    replaceFile(join(project.root, LOCK_FILE), text);
    if (options.mirror === undefined) await reportUses(lock, next, options);
  }
  placedFiles.write({
    key: keyOf(next, denyLicenses),
    files: [...files.values()].flat().map(({ path, sha256, size }) => ({ path, sha256, size })),
  });
  return {
    project: project.root,
    folder,
    lockChanged,
    lock: next,
    ...synced,
    ...credits?.(next, revisions),
  };
}

/** Throws `SignatureRefusedError` for the first library that is not signed as it must be. */
async function requireSignatures({ libraries }: Lock, options: SyncOptions): Promise<void> {
  const { requireSigned, clientFor } = options;
  if (requireSigned === undefined) return;
  const { readSignatureLog } = await import('../signatures/read-log.ts');
  const { requireSignature } = await import('../signatures/require-signature.ts');
  for (const [library, { server, release, manifest }] of Object.entries(libraries)) {
    const address = parseLibraryAddress(library);
    if (address === null) throw new Error(`the lock names ${library}`);
    const { log } = await readSignatureLog(server, address, () => clientFor(server), options);
    requireSignature(log, { release, manifestSha256: manifest.sha256 }, requireSigned.signers);
  }
}

/** Refuses to replace others' files, and returns a function that writes the credits once all is in place. */
async function openCredits(target: AssetsFolder, options: CreditsOptions) {
  const { creditAssets, refuseForeign } = await import('./credit-assets.ts');
  refuseForeign(target);
  return (lock: Lock, revisions: ReadonlyMap<string, LibraryRevision>) => ({
    credits: creditAssets(target, lock, revisions, options),
  });
}

type Parts = SyncOptions & ReadRevisionParts;

async function readLockedRevisions(lock: Lock, parts: Parts): Promise<Map<string, LibraryRevision>> {
  const revisions = new Map<string, LibraryRevision>();
  for (const [library, locked] of Object.entries(lock.libraries)) {
    const wanted = withIds(wantedByLock(library, lock.assets), parts);
    revisions.set(library, await readLockedRevision(library, locked, wanted, parts));
  }
  return revisions;
}

/** A service tells single assets on its word alone; only the whole manifest is what was signed. */
function withIds<Wanted extends { ids: readonly string[] | null }>(
  wanted: Wanted,
  { requireSigned }: SyncOptions,
): Wanted {
  return requireSigned ? { ...wanted, ids: null } : wanted;
}

/** Reads each library: the locked revision if it is still used and not to be upgraded, else the current one. */
async function readRevisions(
  { uses, server }: AssetsFile,
  lock: Lock | null,
  parts: Parts,
): Promise<Map<string, LibraryRevision>> {
  const revisions = new Map<string, LibraryRevision>();
  for (const [library, ofLibrary] of Map.groupBy(uses, libraryOf)) {
    const [use] = ofLibrary;
    if (use === undefined) continue;
    const { ids } = withIds({ ids: idsOf(ofLibrary) }, parts);
    const locked = lock?.libraries[library];
    const stays =
      locked !== undefined &&
      locked.release === use.library.release &&
      (server === null || server === locked.server) &&
      !isUpgraded(library, parts.upgrade);
    revisions.set(
      library,
      stays
        ? await readLockedRevision(
            library,
            locked,
            { ...wantedByLock(library, lock?.assets ?? []), ids, hasMore: true },
            parts,
          )
        : await readRevision(use.library, server, ids, parts),
    );
  }
  return revisions;
}

function isUpgraded(library: string, upgrade: SyncOptions['upgrade']): boolean {
  return upgrade === 'all' || upgrade?.some((name) => name.split('@', 1).join() === library) === true;
}

/** Returns the project with its uses of releases moved to those that an upgrade is to. Nothing is written. */
async function withNewReleases(
  project: Project,
  upgrade: NonNullable<SyncOptions['upgrade']>,
  { clientFor, signal }: SyncOptions,
): Promise<Project> {
  if (project.assetsFile === null) return project;
  const { uses, server } = parseAssetsFile(project.assetsFile);
  let { assetsFile } = project;
  for (const [library, [use]] of Map.groupBy(uses, libraryOf)) {
    if (use === undefined || !isUpgraded(library, upgrade)) continue;
    const named = upgrade === 'all' ? undefined : upgrade.find((name) => name.startsWith(`${library}@`));
    const release =
      named?.slice(library.length + 1) ??
      (use.library.release === undefined
        ? undefined
        : (await newestAddress(await clientFor(server), use.library, signal)).release);
    if (release !== undefined) assetsFile = withRelease(assetsFile, library, release);
  }
  return { ...project, assetsFile };
}

/** Whether a lock matches `assets.yml`. If there is no such file, the lock alone says what is used. */
function lockMatches(lock: Lock, file: AssetsFile | null): boolean {
  if (file === null) return true;
  const { server } = file;
  const servers = Object.values(lock.libraries).map((library) => library.server);
  return (
    JSON.stringify(canonicalUses(file.uses)) === JSON.stringify(lock.uses) &&
    (server === null || servers.every((locked) => locked === server))
  );
}

function lockMismatchError(lock: Lock | null, file: AssetsFile | null): ConflictError | TreeError {
  if (lock === null) return new TreeError(`There is no ${LOCK_FILE}.`, { code: 'no_lock' });
  const uses = canonicalUses(file?.uses ?? []);
  const added = uses.filter((use) => !lock.uses.includes(use)).map((use) => `+ ${use}`);
  const gone = lock.uses.filter((use) => !uses.includes(use)).map((use) => `- ${use}`);
  const what = [...added, ...gone];
  const why = what.length === 0 ? 'it names another server.' : `\n  ${what.join('\n  ')}`;
  return new ConflictError(`${LOCK_FILE} does not match ${ASSETS_FILE}: ${why}`, what, {
    code: 'lock_outdated',
  });
}

/** Identifies a lock and the refused licences: what was laid out stays valid as long as both are the same. */
function keyOf(lock: Lock, denyLicenses: readonly string[]): string {
  return hash('sha256', JSON.stringify([formatLock(lock), denyLicenses]));
}

function unchangedResult(files: readonly { size: number }[]): FolderSyncResult {
  const none = { files: 0, bytes: 0 };
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const unchanged = { files: files.length, bytes };
  return { fetched: none, cached: none, unchanged, replaced: [], setAside: null, removed: [], left: [] };
}

/**
 * Tells the services which assets a project has begun to pin, so that they can count them; nothing else of the project
 * is sent. A service that does not count, or cannot be reached, is no problem.
 */
export async function reportUses(
  before: Lock | null,
  after: Lock,
  {
    clientFor,
    signal,
  }: { clientFor(server: string | null): Promise<Client>; signal?: AbortSignal | undefined },
): Promise<void> {
  const known = new Set(before?.assets.map(({ library, asset }) => `${library}/${asset}`));
  for (const [library, { server }] of Object.entries(after.libraries)) {
    const own = after.assets.filter((one) => one.library === library).map(({ asset }) => asset);
    const added = [...new Set(own)].filter((asset) => !known.has(`${library}/${asset}`));
    const [namespace = '', name = ''] = library.split('/');
    for (let at = 0; at < added.length; at += LIMITS.presignPaths) {
      const assets = added.slice(at, at + LIMITS.presignPaths);
      const client = await clientFor(server);
      await client
        .call(routes.libraries.countUses, { params: { namespace, name }, body: { assets }, signal })
        .catch(() => {});
    }
  }
}
