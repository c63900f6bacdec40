import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest, ManifestAsset, ManifestFile } from '@bindery/contract';
import { LIMITS } from '@bindery/contract/wire';
import type { LibraryClient } from '../client/call.ts';
import { ConflictError, TreeError } from '../failures.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import { downloadFiles, type RemoteLibrary } from '../library/read-library.ts';
import type { UploadSource } from '../tree/upload-source.ts';
import { type EmbeddingOptions, embedAssets, type Picture } from './embed-assets.ts';
import { type AssetVectors, type Sidecar, writeSidecar } from './sidecar.ts';
import {
  artifactsOf,
  carryVectors,
  declareVectors,
  type EmbeddingModel,
  type LibraryVectors,
  type NextRevision,
  openLibraryVectors,
  type PreparedVectors,
  thumbnailHash,
  unusableWarning,
} from './vectors.ts';

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
    `The vectors of this library are from ${made}, so those of one asset cannot be from ${wanted}.`,
    [asset],
    { code: 'model_mismatch' },
  );
}

/** Returns a function that finds the thumbnail of an asset: just made, stored in the library, or in the folder. */
function pictureFinder(
  client: LibraryClient,
  address: LibraryAddress,
  { root, newArtifacts }: Pick<NextRevision, 'newArtifacts'> & { root: string },
  artifacts: ReadonlyMap<string, ManifestFile>,
  signal: AbortSignal | undefined,
): (asset: ManifestAsset) => Picture | null {
  const sources = new Map(newArtifacts.map((source) => [source.path, source]));
  return (asset) => {
    const sha256 = thumbnailHash(asset, artifacts);
    const path = asset.thumbnail;
    if (sha256 === null || path === undefined) return null;
    const source = sources.get(path);
    if (source !== undefined) return { sha256, read: async () => bytesOf(source) };
    const held = artifacts.get(path);
    if (held === undefined) return { sha256, read: () => readAsHashed(join(root, path), path, sha256) };
    return { sha256, read: () => download(client, address, held, signal) };
  };
}

function bytesOf(source: UploadSource): Uint8Array {
  const bytes = new Uint8Array(source.size);
  const length = source.read(bytes);
  return bytes.subarray(0, length);
}

async function readAsHashed(place: string, path: string, sha256: string): Promise<Uint8Array> {
  const bytes = await readFile(place);
  if (hash('sha256', bytes) === sha256) return bytes;
  throw new TreeError(`${path} changed while it was being pushed; push again when nothing is writing to it.`);
}

async function download(
  client: LibraryClient,
  address: LibraryAddress,
  artifact: ManifestFile,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const found = await downloadFiles(client, address, [artifact], signal);
  return found.get(artifact.path) ?? new Uint8Array();
}
