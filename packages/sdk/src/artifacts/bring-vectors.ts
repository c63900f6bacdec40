import {
  LIMITS,
  type Manifest,
  type ManifestFile,
  VECTORS_INDEX_PATH,
  VECTORS_MATRIX_PATH,
} from '@bindery/contract';
import type { Client } from '../client/client.ts';
import { ConflictError } from '../failures.ts';
import type { LibraryAddress } from '../library/address.ts';
import type { RemoteLibrary } from '../library/remote-library.ts';
import type { UploadSource } from '../tree/upload-source.ts';
import { type EmbeddingOptions, type EmbeddingReport, embedAssets } from './embed-assets.ts';
import type { EmbeddingModel } from './embedder.ts';
import { LibraryVectors } from './library-vectors.ts';
import type { NextRevision } from './next-revision.ts';
import { pictureFinder } from './pictures.ts';
import { type AssetVectors, type Sidecar, writeSidecar } from './sidecar.ts';

/** Vectors to make: of all assets, or of one, beside those that the library has of the others. */
export interface EmbeddingRequest {
  model: EmbeddingModel;
  only?: string | undefined;
}

export interface BroughtVectors {
  manifest: Manifest;
  /** A new sidecar to send; none where the library's own stays. */
  sources: UploadSource[];
  /** Null where nothing was to be embedded. */
  report: EmbeddingReport | null;
  warnings: string[];
  /** Assets that had vectors which no longer fit them, where none were to be made. */
  lost: number;
}

/**
 * Gives the next revision its vectors: new ones where they are asked for, else those that the library has of assets whose
 * picture and text stay what they were. Rows of others are left out, so that no vector shows what is no longer there.
 */
export async function bringVectors(
  client: Client,
  address: LibraryAddress,
  next: NextRevision,
  remote: RemoteLibrary | null,
  embedding: EmbeddingRequest | null,
  options: EmbeddingOptions,
): Promise<BroughtVectors> {
  const artifacts = artifactsOf(next, remote);
  const library = remote === null ? null : new LibraryVectors(client, address, remote, options.signal);
  const own = library?.declared ? library : null;
  if (embedding === null) return keepVectors(next.manifest, own, artifacts, options);

  const warnings: string[] = [];
  const { model, only } = embedding;
  const base = own === null || only === undefined ? null : await own.read();
  if (typeof base === 'string') warnings.push(unusable(base));
  const beside = base === null || typeof base === 'string' ? null : base;
  if (beside !== null && beside.model !== model.id) throw otherModel(beside.model, model.id, only ?? '');

  const assets = next.manifest.assets.filter(({ id }) => only === undefined || id === only);
  const { vectors, report } = await embedAssets(
    assets,
    model,
    {
      pictureOf: pictureFinder(client, address, next, artifacts, options.signal),
      earlier: () => earlierRows(own, model.id, next.manifest, artifacts),
    },
    options,
  );
  const others = beside === null || own === null ? [] : own.fitting(beside, next.manifest, artifacts);
  const all = new Map<string, AssetVectors>([...others, ...vectors]);
  const sidecar: Sidecar = { model: model.id, dim: LIMITS.embedding.dimensions, vectors: all };
  const unfinished = options.dryRun && report.images.encoded + report.texts.encoded > 0;
  if (unfinished) return { manifest: next.manifest, sources: [], report, warnings, lost: 0 };
  return { ...declared(next.manifest, writeSidecar(sidecar)), report, warnings, lost: 0 };
}

/** Platform artifacts by path as the next revision will have them. */
function artifactsOf(
  { manifest, made }: NextRevision,
  remote: RemoteLibrary | null,
): ReadonlyMap<string, ManifestFile> {
  const artifacts = new Map<string, ManifestFile>();
  for (const path of manifest.generated ?? []) {
    const held = remote?.artifacts.get(path);
    if (held !== undefined) artifacts.set(path, held);
  }
  for (const source of made) artifacts.set(source.path, source);
  return artifacts;
}

async function keepVectors(
  manifest: Manifest,
  own: LibraryVectors | null,
  artifacts: ReadonlyMap<string, ManifestFile>,
  { dryRun }: EmbeddingOptions,
): Promise<BroughtVectors> {
  const nothing = { report: null, warnings: [], lost: 0 };
  if (own === null) return { ...declared(manifest, []), ...nothing };
  const asTheyAre = { manifest: declaring(manifest, VECTORS), sources: [], ...nothing };
  if (dryRun || !own.mayBeStale(manifest, artifacts)) return asTheyAre;
  const before = await own.read();
  if (typeof before === 'string') {
    return { ...declared(manifest, []), ...nothing, warnings: [unusable(before)] };
  }
  const vectors = own.fitting(before, manifest, artifacts);
  if (countRows(vectors) === countRows(before.vectors)) return asTheyAre;
  const lost = [...vectors].filter(
    ([id, after]) => rowsOf(after) < rowsOf(before.vectors.get(id) ?? after),
  ).length;
  return { ...declared(manifest, writeSidecar({ ...before, vectors })), ...nothing, lost };
}

function countRows(vectors: ReadonlyMap<string, AssetVectors>): number {
  let rows = 0;
  for (const own of vectors.values()) rows += rowsOf(own);
  return rows;
}

function rowsOf({ image, text }: AssetVectors): number {
  return Number(image !== null) + Number(text !== null);
}

async function earlierRows(
  own: LibraryVectors | null,
  model: string,
  manifest: Manifest,
  artifacts: ReadonlyMap<string, ManifestFile>,
): Promise<ReadonlyMap<string, AssetVectors>> {
  const before = await own?.read();
  if (own === null || before === undefined || typeof before === 'string' || before.model !== model) {
    return new Map();
  }
  return own.fitting(before, manifest, artifacts);
}

const VECTORS = [VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH];

/** The manifest with exactly these vectors, or none. */
function declared(
  manifest: Manifest,
  sources: UploadSource[],
): { manifest: Manifest; sources: UploadSource[] } {
  return {
    manifest: declaring(
      manifest,
      sources.map(({ path }) => path),
    ),
    sources,
  };
}

function declaring(manifest: Manifest, vectors: readonly string[]): Manifest {
  const others = manifest.generated?.filter((path) => !VECTORS.includes(path)) ?? [];
  const { generated: _before, ...rest } = manifest;
  const generated = [...others, ...vectors];
  return generated.length === 0 ? rest : { ...rest, generated };
}

function unusable(reason: string): string {
  return `The library's vectors cannot be used and were left out: ${reason}. "push --embed" makes new ones.`;
}

function otherModel(before: string | null, wanted: string, asset: string): ConflictError {
  const made = before === null ? 'an unknown model' : before;
  return new ConflictError(
    `the vectors of this library are of ${made}, and those of one asset cannot be of ${wanted}; name the same --model, or push the whole library with --embed`,
    [asset],
  );
}
