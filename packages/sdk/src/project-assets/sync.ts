import { hash } from 'node:crypto';
import { join } from 'node:path';
import { ObjectCache } from '../cache/object-cache.ts';
import type { Client } from '../client/client.ts';
import type { CreditsOptions, WrittenCredits } from '../credits/write-credits.ts';
import { ChangedWhileRead, ConflictError } from '../failures.ts';
import { ValidatedManifests } from '../library/validated-manifests.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { ProgressListener } from '../tree/progress.ts';
import { ASSETS_FILE, type AssetsFile, DEFAULT_FOLDER, parseAssetsFile, writtenUses } from './assets-file.ts';
import { refuseLicenses } from './denied-licenses.ts';
import { isLaidOut, type LaidOut, layOut } from './lay-out.ts';
import { formatLock, LOCK_FILE, type Lock, parseLock } from './lock.ts';
import { lockedFiles } from './locked-files.ts';
import { PlacedFiles } from './placed-files.ts';
import { type Project, readProject, writeProjectFile } from './project.ts';
import { type ReadingParts, readLockedRevision, readRevision } from './read-revision.ts';
import { type LibraryRevision, resolve } from './resolve.ts';
import { libraryOf } from './use.ts';

export interface SyncOptions {
  cacheFolder: string;
  stateFolder: string;
  /** Take what the machine's cache holds from there, and keep there what is fetched; by default so. */
  cache?: boolean | undefined;
  /** Go by the lock alone, and change nothing else than the folder of the assets. */
  frozen?: boolean | undefined;
  /** Take what there is now: of these libraries (`ns/name`), or of `all`. */
  upgrade?: 'all' | readonly string[] | undefined;
  /** Where bytes come from in place of the services. */
  mirror?: Mirror | undefined;
  /** Make files hard links of the cache's, which nobody may write. */
  link?: boolean | undefined;
  /** Replace files that were edited here. */
  force?: boolean | undefined;
  /** Read every local file, whatever the cache says. */
  verify?: boolean | undefined;
  /** Write the credits of the assets into their folder. */
  credits?: CreditsOptions | undefined;
  /** The client of a server; of that of the login for null. Not asked where nothing is requested. */
  clientFor(server: string | null): Promise<Client>;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

export interface SyncResult extends LaidOut {
  /** Where `assets.yml` and `assets.lock` lie. */
  project: string;
  /** Where the assets lie. */
  folder: string;
  /** Whether the lock was written, since it says something else now. */
  lockChanged: boolean;
  lock: Lock;
  /** What was written of credits; absent where none were asked for. */
  credits?: WrittenCredits;
}

const MAX_TRIES = 20;

/**
 * Brings the assets of the project that `folder` belongs to: resolves `assets.yml` where `assets.lock` does not answer it,
 * lays the files out, and then writes the lock. Throws `ProjectFileError`, `ConflictError`, `RevisionGone`,
 * `IntegrityError`, `TreeError`, `MirrorError` and the client's errors.
 */
export async function syncProject(folder: string, options: SyncOptions): Promise<SyncResult> {
  for (let tries = 1; ; tries++) {
    try {
      return await syncOnce(readProject(folder), options);
    } catch (error) {
      // Another sync of the same project puts files in place while this one reads them.
      if (!(error instanceof ChangedWhileRead) || tries === MAX_TRIES) throw error;
    }
  }
}

const NO_FILE: AssetsFile = { server: null, folder: DEFAULT_FOLDER, denyLicenses: [], uses: [] };

async function syncOnce(project: Project, options: SyncOptions): Promise<SyncResult> {
  const file = project.assetsFile === null ? null : parseAssetsFile(project.assetsFile);
  const lock = project.lockFile === null ? null : parseLock(project.lockFile);
  const { folder: name, denyLicenses } = file ?? NO_FILE;
  const folder = join(project.root, name);
  const memory = new PlacedFiles(options.stateFolder, folder);
  const answering = lock !== null && answers(lock, file);
  const parts = {
    ...options,
    objects: options.cache === false ? null : new ObjectCache(options.cacheFolder),
    validated: options.cache === false ? null : new ValidatedManifests(options.cacheFolder),
  };
  if (options.frozen && !answering) throw notAnswered(lock, file);
  if (lock !== null && answering && !options.upgrade) {
    const key = keyOf(lock, denyLicenses);
    const placed = memory.read();
    if (placed.key === key && (await isLaidOut(folder, placed.files, options))) {
      const credits = options.credits && (await openCredits(folder, options.credits));
      return {
        project: project.root,
        folder,
        lockChanged: false,
        lock,
        ...nothingDone(placed.files),
        ...credits?.(lock, await lockedRevisions(lock, parts)),
      };
    }
  }
  const revisions =
    lock !== null && (options.frozen || file === null)
      ? await lockedRevisions(lock, parts)
      : await revisionsFor(file ?? NO_FILE, lock, parts);
  const next =
    file === null || options.frozen ? (lock ?? resolve([], revisions)) : resolve(file.uses, revisions);
  refuseLicenses(denyLicenses, next, revisions);
  const files = lockedFiles(next, revisions);
  const credits = options.credits && (await openCredits(folder, options.credits));
  const laidOut = await layOut(folder, next, files, { ...parts, memory });
  const text = formatLock(next);
  const lockChanged = !options.frozen && text !== project.lockFile?.replaceAll('\r\n', '\n');
  if (lockChanged) writeProjectFile(join(project.root, LOCK_FILE), text);
  memory.write({
    key: keyOf(next, denyLicenses),
    files: [...files.values()].flat().map(({ path, sha256, size }) => ({ path, sha256, size })),
  });
  return {
    project: project.root,
    folder,
    lockChanged,
    lock: next,
    ...laidOut,
    ...credits?.(next, revisions),
  };
}

/** Refuses to replace what is somebody's own, and answers what writes credits once everything is in place. */
async function openCredits(target: string, options: CreditsOptions) {
  const { creditAssets, refuseForeign } = await import('./credit-assets.ts');
  refuseForeign(target);
  return (lock: Lock, revisions: ReadonlyMap<string, LibraryRevision>) => ({
    credits: creditAssets(target, lock, revisions, options),
  });
}

type Parts = SyncOptions & ReadingParts;

async function lockedRevisions(lock: Lock, parts: Parts): Promise<Map<string, LibraryRevision>> {
  const revisions = new Map<string, LibraryRevision>();
  for (const [library, locked] of Object.entries(lock.libraries)) {
    revisions.set(library, await readLockedRevision(library, locked, parts));
  }
  return revisions;
}

/** Those of the lock where it has them and nothing else is asked for, and what there is now of the others. */
async function revisionsFor(
  { uses, server }: AssetsFile,
  lock: Lock | null,
  parts: Parts,
): Promise<Map<string, LibraryRevision>> {
  const revisions = new Map<string, LibraryRevision>();
  for (const use of uses) {
    const library = libraryOf(use);
    if (revisions.has(library)) continue;
    const locked = lock?.libraries[library];
    const stays =
      locked !== undefined &&
      locked.release === use.library.release &&
      (server === null || server === locked.server) &&
      !isUpgraded(library, parts.upgrade);
    revisions.set(
      library,
      stays
        ? await readLockedRevision(library, locked, parts)
        : await readRevision(use.library, server, parts),
    );
  }
  return revisions;
}

function isUpgraded(library: string, upgrade: SyncOptions['upgrade']): boolean {
  return upgrade === 'all' || upgrade?.includes(library) === true;
}

/** Whether a lock says what is used now; where there is no `assets.yml`, it says it alone. */
function answers(lock: Lock, file: AssetsFile | null): boolean {
  if (file === null) return true;
  const { server } = file;
  const servers = Object.values(lock.libraries).map((library) => library.server);
  return (
    JSON.stringify(writtenUses(file.uses)) === JSON.stringify(lock.uses) &&
    (server === null || servers.every((locked) => locked === server))
  );
}

function notAnswered(lock: Lock | null, file: AssetsFile | null): ConflictError {
  const sync = '"bindery sync" writes it';
  if (lock === null) return new ConflictError(`there is no ${LOCK_FILE}; ${sync}`);
  const uses = writtenUses(file?.uses ?? []);
  const added = uses.filter((use) => !lock.uses.includes(use)).map((use) => `+ ${use}`);
  const gone = lock.uses.filter((use) => !uses.includes(use)).map((use) => `- ${use}`);
  const what = [...added, ...gone];
  const why = what.length === 0 ? 'it names another server' : `\n  ${what.join('\n  ')}`;
  return new ConflictError(`${LOCK_FILE} does not match ${ASSETS_FILE}: ${why}\n${sync}`, what);
}

/** What was laid out for one lock and the licences that are refused is right for as long as both are the same. */
function keyOf(lock: Lock, denyLicenses: readonly string[]): string {
  return hash('sha256', JSON.stringify([formatLock(lock), denyLicenses]));
}

function nothingDone(files: readonly { size: number }[]): LaidOut {
  const none = { files: 0, bytes: 0 };
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const unchanged = { files: files.length, bytes };
  return { fetched: none, cached: none, unchanged, replaced: [], removed: [], left: [] };
}
