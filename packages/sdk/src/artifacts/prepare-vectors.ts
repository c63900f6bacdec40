import type { Manifest, ManifestFile } from '@bindery/contract';
import { LIMITS } from '@bindery/contract/wire';
import type { LibraryClient } from '../client/library-client.ts';
import { ConflictError } from '../failures.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import type { RemoteLibrary } from '../library/read-library.ts';
import {
  artifactsOf,
  carryVectors,
  declareVectors,
  openLibraryVectors,
  type PreparedVectors,
  unusableWarning,
} from './carry-vectors.ts';
import { type EmbeddingOptions, embedAssets } from './embed-assets.ts';
import type { EmbeddingModel } from './embedder.ts';
import type { LibraryVectors } from './library-vectors.ts';
import type { NextRevision } from './next-revision.ts';
import { pictureFinder } from './picture-finder.ts';
import type { AssetVectors, Sidecar } from './sidecar.ts';
import { writeSidecar } from './sidecar.ts';

/** Vectors to make: of all assets, or of the one in `only`, keeping the library's vectors of the others. */
export interface EmbeddingRequest {
  model: EmbeddingModel;
  assetId?: string | undefined;
}

/**
 * Adds vectors to the next revision: new ones if requested, otherwise those of the library that still fit. `root` is
 * the folder that contains the assets' files.
 */
export async function prepareVectors(
  client: LibraryClient,
  address: LibraryAddress,
  { root, ...next }: NextRevision & { root: string },
  remote: RemoteLibrary | null,
  embedding: EmbeddingRequest | null,
  options: EmbeddingOptions,
): Promise<PreparedVectors> {
  if (embedding === null) return carryVectors(client, address, next, remote, options);
  const artifacts = artifactsOf(next, remote);
  const own = openLibraryVectors(client, address, remote, options.signal);

  const warnings: string[] = [];
  const { model, assetId } = embedding;
  const base = own === null || assetId === undefined ? null : await own.read();
  if (typeof base === 'string') warnings.push(unusableWarning(base));
  const beside = base === null || typeof base === 'string' ? null : base;
  if (beside !== null && beside.model !== model.id)
    throw modelMismatchError(beside.model, model.id, assetId ?? '');

  const assets = next.manifest.assets.filter(({ id }) => assetId === undefined || id === assetId);
  const { vectors, report } = await embedAssets(
    assets,
    model,
    {
      pictureOf: pictureFinder(client, address, { ...next, root }, artifacts, options.signal),
      loadReusable: () => readReusableVectors(own, model.id, next.manifest, artifacts),
    },
    options,
  );
  const others = beside === null || own === null ? [] : own.selectValid(beside, next.manifest, artifacts);
  const all = new Map<string, AssetVectors>([...others, ...vectors]);
  const sidecar: Sidecar = { model: model.id, dim: LIMITS.embedding.dimensions, vectors: all };
  const unfinished = options.dryRun && report.images.encoded + report.texts.encoded > 0;
  if (unfinished) return { manifest: next.manifest, sources: [], report, warnings, lost: 0 };
  return { ...declareVectors(next.manifest, writeSidecar(sidecar)), report, warnings, lost: 0 };
}

async function readReusableVectors(
  own: LibraryVectors | null,
  model: string,
  manifest: Manifest,
  artifacts: ReadonlyMap<string, ManifestFile>,
): Promise<ReadonlyMap<string, AssetVectors>> {
  const before = await own?.read();
  if (own === null || before === undefined || typeof before === 'string' || before.model !== model) {
    return new Map();
  }
  return own.selectValid(before, manifest, artifacts);
}

function modelMismatchError(before: string | null, wanted: string, asset: string): ConflictError {
  const made = before === null ? 'an unknown model' : before;
  return new ConflictError(
    `the vectors of this library are from ${made}, so those of one asset cannot be from ${wanted}; use the same --model, or push the whole library with --embed`,
    [asset],
  );
}
