import { once } from 'node:events';
import { basename } from 'node:path/posix';
import type { Readable } from 'node:stream';
import { clampTtl, LIMITS, type PresignedFile, SOURCE_README_PATH } from '@bindery/contract';
import { loadLibrary, type RevisionAddress, type RevisionRow } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { Context, MaintenanceContext } from '../../context.ts';
import { contentLost, unknownPath } from '../../errors.ts';
import { ObjectDamaged, unlessLost } from '../../objects/damaged.ts';
import {
  isContentLost,
  listedArtifacts,
  makeWhole,
  type OpenedRevision,
  openRevision,
  readCurrent,
} from '../../objects/open-revision.ts';
import type { ObjectStore } from '../../objects/store.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { StoredArtifact } from '../../revision/encode-index.ts';
import type { ClosureFile } from '../../revision/file-closure.ts';
import type { RevisionIndex } from '../../revision/revision-index.ts';

/**
 * Returns presigned URLs of files by path, in the requested order. Platform artifacts are files too; the manifest
 * itself is not. Throws `unknown_path` with the first path that the revision does not have.
 */
export async function presignFiles(
  context: MaintenanceContext & Pick<Context, 'useCounter'>,
  library: RevisionRow,
  { paths, ttlSeconds: asked }: { paths: string[]; ttlSeconds?: number | undefined },
): Promise<{ ttlSeconds: number; files: PresignedFile[] }> {
  const { row, find, index } = await openFiles(context, library, paths);
  const ttlSeconds = clampTtl(asked);
  const files: PresignedFile[] = [];
  for (const path of paths) {
    const file = find(path);
    if (!file) throw unknownPath(path);
    files.push(presignFile(context.objects, row.store_id, file, ttlSeconds));
    if (turnIsOver()) await nextTurn();
  }
  if (index !== null) context.useCounter.filesTaken(row.store_id, index, paths);
  return { ttlSeconds, files };
}

interface OpenedFiles {
  row: RevisionRow;
  find(path: string): StoredArtifact | null;
  /** Null if it is lost. */
  index: RevisionIndex | null;
}

/**
 * Opens the files of a revision. If its manifest and index are lost, its platform artifacts are still known by their
 * list; throws `content_lost` if one of the paths is not in it.
 */
async function openFiles(
  context: MaintenanceContext,
  library: RevisionRow,
  paths: readonly string[],
): Promise<OpenedFiles> {
  try {
    const { row, index } = await openRevision(context, library);
    return { row, find: (path) => index.findFile(path), index };
  } catch (error) {
    if (!isContentLost(error)) throw error;
    const listed = new Map(
      (await listedArtifacts(context.objects, library))?.map((file) => [file.path, file]),
    );
    if (!paths.every((path) => listed.has(path))) throw error;
    return { row: library, find: (path) => listed.get(path) ?? null, index: null };
  }
}

/**
 * Returns a file of a library with its verified bytes; `bytes` is null if there are more than `maxBytes`. Throws
 * `unknown_path` and `content_lost`.
 */
export async function readFileBytes(
  context: MaintenanceContext,
  viewer: Viewer,
  { path, ...address }: RevisionAddress & { path: string },
  maxBytes: number,
): Promise<{ file: ClosureFile; bytes: Buffer | null }> {
  const library = await loadLibrary(context.db, viewer, address);
  const opened = await openRevision(context, library.row);
  const file = opened.index.findFile(path);
  if (file === null) throw unknownPath(path);
  if (file.size > maxBytes) return { file, bytes: null };
  const bytes = await bytesOf(context, opened, file);
  if (bytes === null) throw contentLost('this file');
  return { file, bytes };
}

/** Returns the bytes of an asset's thumbnail; null if there is none, it is lost or it has more than `maxBytes`. */
export async function readThumbnail(
  context: MaintenanceContext,
  viewer: Viewer,
  { assetId, ...address }: RevisionAddress & { assetId: string },
  maxBytes: number,
): Promise<Buffer | null> {
  const library = await loadLibrary(context.db, viewer, address);
  const opened = await openRevision(context, library.row);
  const number = opened.index.indexOfAsset(assetId);
  const file = number < 0 ? null : opened.index.thumbnail(number);
  return file === null || file.size > maxBytes ? null : bytesOf(context, opened, file);
}

function bytesOf({ objects }: MaintenanceContext, { row }: OpenedRevision, { sha256 }: ClosureFile) {
  return unlessLost(objects.read({ storeId: row.store_id, sha256 }));
}

/** Returns the library's own README, or null. The caller has checked that the viewer may read the library. */
export async function readReadme(
  context: MaintenanceContext,
  library: RevisionRow,
): Promise<PresignedFile | null> {
  const { row, index } = await openRevision(context, library);
  const file = index.findFile(SOURCE_README_PATH);
  return file && presignFile(context.objects, row.store_id, file, LIMITS.presignTtl.default);
}

interface OpenedManifest {
  row: RevisionRow;
  /** The bytes as they were uploaded. The first of them have already been read. */
  stream: Readable;
}

/** Opens the manifest of a library's revision, or of a newer one; see `readCurrent`. Throws `content_lost`. */
export async function openManifest(context: Context, library: RevisionRow): Promise<OpenedManifest> {
  const { db, objects, contentChecks } = context;
  await makeWhole(context, library);
  const opened = await unlessLost(
    readCurrent(db, library, async (row) => {
      const { store_id: storeId, manifest_sha256: sha256, manifest_size: size } = row;
      const stream = objects.stream({ storeId, sha256 });
      await once(stream, 'readable');
      if (await contentChecks.isDamaged(storeId, { sha256, size })) {
        stream.destroy();
        throw new ObjectDamaged({ storeId, sha256 });
      }
      return { row, stream };
    }),
  );
  if (opened === null) throw contentLost('the manifest of this library');
  return opened;
}

type FileToPresign = Omit<ClosureFile, 'platform'>;

/** A file of a revision with a presigned URL that serves it as a download under its own name. */
export function presignFile(
  objects: ObjectStore,
  storeId: string,
  { path, size, sha256 }: FileToPresign,
  ttlSeconds: number,
): PresignedFile {
  return { path, size, sha256, url: presignUrl(objects, storeId, { path, size, sha256 }, ttlSeconds) };
}

export function presignUrl(
  objects: ObjectStore,
  storeId: string,
  { path, size, sha256 }: FileToPresign,
  ttlSeconds: number,
): string {
  return objects.presignGet({ storeId, sha256, size }, basename(path), ttlSeconds);
}
