import type { Manifest, ManifestFile } from '@bindery/contract';
import { VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH } from '@bindery/contract/wire';
import type { LibraryClient } from '../client/library-client.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import type { RemoteLibrary } from '../library/read-library.ts';
import type { UploadSource } from '../tree/upload-source.ts';
import type { EmbeddingReport } from './embedding-report.ts';
import { LibraryVectors } from './library-vectors.ts';
import type { NextRevision } from './next-revision.ts';
import { type AssetVectors, writeSidecar } from './sidecar.ts';

export interface PreparedVectors {
  manifest: Manifest;
  /** The files of a new sidecar to send; empty if the library's own stays or there are no vectors. */
  sources: UploadSource[];
  /** Null if no vectors were requested. */
  report: EmbeddingReport | null;
  warnings: string[];
  /** Number of assets whose vectors no longer fit and were dropped without new ones being requested. */
  lost: number;
}

/**
 * Adds the library's vectors of unchanged pictures and texts to the next revision. All others are dropped, so that no
 * vector represents content that is gone.
 */
export async function carryVectors(
  client: LibraryClient,
  address: LibraryAddress,
  next: NextRevision,
  remote: RemoteLibrary | null,
  { dryRun, signal }: { dryRun?: boolean | undefined; signal?: AbortSignal | undefined },
): Promise<PreparedVectors> {
  const { manifest } = next;
  const own = openLibraryVectors(client, address, remote, signal);
  const artifacts = artifactsOf(next, remote);
  const nothing = { report: null, warnings: [], lost: 0 };
  if (own === null) return { ...declareVectors(manifest, []), ...nothing };
  const asTheyAre = { manifest: withVectorPaths(manifest, VECTORS), sources: [], ...nothing };
  if (dryRun || !own.mayBeStale(manifest, artifacts)) return asTheyAre;
  const before = await own.read();
  if (typeof before === 'string') {
    return { ...declareVectors(manifest, []), ...nothing, warnings: [unusableWarning(before)] };
  }
  const vectors = own.selectValid(before, manifest, artifacts);
  if (countRows(vectors) === countRows(before.vectors)) return asTheyAre;
  const lost = [...vectors].filter(
    ([id, after]) => rowsOf(after) < rowsOf(before.vectors.get(id) ?? after),
  ).length;
  return { ...declareVectors(manifest, writeSidecar({ ...before, vectors })), ...nothing, lost };
}

function countRows(vectors: ReadonlyMap<string, AssetVectors>): number {
  let rows = 0;
  for (const own of vectors.values()) rows += rowsOf(own);
  return rows;
}

function rowsOf({ image, text }: AssetVectors): number {
  return Number(image !== null) + Number(text !== null);
}

/** Returns the library's vectors; null if it has none. */
export function openLibraryVectors(
  client: LibraryClient,
  address: LibraryAddress,
  remote: RemoteLibrary | null,
  signal: AbortSignal | undefined,
): LibraryVectors | null {
  const library = remote === null ? null : new LibraryVectors(client, address, remote, signal);
  return library?.hasVectors ? library : null;
}

/** Returns the platform artifacts of the next revision, by path. */
export function artifactsOf(
  { manifest, newArtifacts }: NextRevision,
  remote: RemoteLibrary | null,
): ReadonlyMap<string, ManifestFile> {
  const artifacts = new Map<string, ManifestFile>();
  for (const path of manifest.generated ?? []) {
    const held = remote?.artifacts.get(path);
    if (held !== undefined) artifacts.set(path, held);
  }
  for (const source of newArtifacts) artifacts.set(source.path, source);
  return artifacts;
}

const VECTORS = [VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH];

/** Returns the manifest declaring exactly these vector files, or none. */
export function declareVectors(
  manifest: Manifest,
  sources: UploadSource[],
): { manifest: Manifest; sources: UploadSource[] } {
  return {
    manifest: withVectorPaths(
      manifest,
      sources.map(({ path }) => path),
    ),
    sources,
  };
}

function withVectorPaths(manifest: Manifest, vectors: readonly string[]): Manifest {
  const others = manifest.generated?.filter((path) => !VECTORS.includes(path)) ?? [];
  const { generated: _before, ...rest } = manifest;
  const generated = [...others, ...vectors];
  return generated.length === 0 ? rest : { ...rest, generated };
}

export function unusableWarning(reason: string): string {
  return `The library's vectors cannot be used and were left out: ${reason}. "push --embed" creates new ones.`;
}
