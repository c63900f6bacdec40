import { hash } from 'node:crypto';
import type { Manifest, ManifestAsset, ManifestFile } from '@bindery/contract';
import { embeddingText, VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH } from '@bindery/contract/wire';
import type { LibraryClient } from '../client/call.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import { downloadFiles, type RemoteLibrary } from '../library/read-library.ts';
import type { UploadSource } from '../tree/upload-source.ts';
import { type AssetVectors, readSidecar, type Sidecar, writeSidecar } from './sidecar.ts';

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
  return `The library's vectors cannot be used and were left out: ${reason}. A push that embeds creates new ones.`;
}

/** The vectors of a library's current revision, downloaded when they are first needed. */
export class LibraryVectors {
  readonly #client: LibraryClient;
  readonly #address: LibraryAddress;
  readonly #remote: RemoteLibrary;
  readonly #signal: AbortSignal | undefined;
  #read: Promise<Sidecar | string> | undefined;

  constructor(client: LibraryClient, address: LibraryAddress, remote: RemoteLibrary, signal?: AbortSignal) {
    this.#client = client;
    this.#address = address;
    this.#remote = remote;
    this.#signal = signal;
  }

  /** Whether the library has vectors. */
  get hasVectors(): boolean {
    const { generated = [] } = this.#remote.manifest;
    return generated.includes(VECTORS_INDEX_PATH) && generated.includes(VECTORS_MATRIX_PATH);
  }

  /** Returns all vectors; a string says why they cannot be used. */
  read(): Promise<Sidecar | string> {
    this.#read ??= this.#download();
    return this.#read;
  }

  /** Whether some vector might no longer fit: an asset was removed, or its picture or text changed. */
  mayBeStale(next: Manifest, artifacts: ReadonlyMap<string, ManifestFile>): boolean {
    const after = new Map(next.assets.map((asset) => [asset.id, asset]));
    return this.#remote.manifest.assets.some((asset) => {
      const { image, text } = this.#fitting(asset, after.get(asset.id), artifacts);
      return !image || !text;
    });
  }

  /** Returns the vectors of a usable sidecar that still fit the assets of the next manifest. */
  selectValid(
    { vectors }: Sidecar,
    next: Manifest,
    artifacts: ReadonlyMap<string, ManifestFile>,
  ): Map<string, AssetVectors> {
    const before = new Map(this.#remote.manifest.assets.map((asset) => [asset.id, asset]));
    const kept = new Map<string, AssetVectors>();
    for (const asset of next.assets) {
      const rows = vectors.get(asset.id);
      const earlier = before.get(asset.id);
      if (rows === undefined || earlier === undefined) continue;
      const { image, text } = this.#fitting(earlier, asset, artifacts);
      kept.set(asset.id, { image: image ? rows.image : null, text: text ? rows.text : null });
    }
    return kept;
  }

  #fitting(
    earlier: ManifestAsset,
    asset: ManifestAsset | undefined,
    artifacts: ReadonlyMap<string, ManifestFile>,
  ): { image: boolean; text: boolean } {
    if (asset === undefined) return { image: false, text: false };
    const picture = thumbnailHash(earlier, this.#remote.artifacts);
    return {
      image: picture === thumbnailHash(asset, artifacts),
      text: textHash(earlier) === textHash(asset),
    };
  }

  async #download(): Promise<Sidecar | string> {
    const paths = [VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH];
    const files = paths.flatMap((path) => this.#remote.artifacts.get(path) ?? []);
    const found = await downloadFiles(this.#client, this.#address, files, this.#signal);
    const [document, matrix] = paths.map((path) => found.get(path));
    if (document === undefined || matrix === undefined) return 'half of them is missing';
    return readSidecar(document, matrix);
  }
}

/** A model that maps texts and pictures to vectors of one space. The SDK does not include one. */
export interface EmbeddingModel {
  /** `<encoder library>/<model>/<pretrained>`, as recorded in a sidecar. */
  readonly id: string;
  /** The version on this machine, null if the model is missing. Equal versions give equal vectors. */
  readonly version: string | null;
  /** Whether the model cannot encode pictures. */
  readonly textOnly?: boolean;
  /** Loads the model. Called only if something has to be encoded; throws if the model is not on this machine. */
  open(): Promise<Embedder>;
}

/** Returns vectors of length 1 with `dim` numbers, in the order of the input. */
export interface Embedder {
  readonly dim: number;
  /** The version of the loaded model. */
  readonly version: string;
  embedText(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
  /** `images` are the contents of files in any usual format. One that cannot be decoded gives a warning. */
  embedImages(images: readonly Uint8Array[], signal?: AbortSignal): Promise<EmbeddedImage[]>;
  close(): Promise<void>;
}

export type EmbeddedImage = Float32Array | { warning: string };

/** Counts of distinct pictures and texts. In a plan, `encoded` is what would be attempted. */
export interface EmbeddingReport {
  model: string;
  images: { encoded: number; reused: number };
  texts: { encoded: number; reused: number };
  /** Assets whose picture cannot be encoded, and why. */
  warnings: { asset: string; warning: string }[];
}

/** The next manifest of a library, with its new artifacts. */
export interface NextRevision {
  manifest: Manifest;
  /** Platform artifacts made for it. */
  newArtifacts: readonly UploadSource[];
}

/** Returns the hash of an asset's thumbnail, one of its files or a platform artifact; null if none is known. */
export function thumbnailHash(
  { thumbnail, files }: ManifestAsset,
  artifacts: ReadonlyMap<string, Pick<ManifestFile, 'sha256'>>,
): string | null {
  if (thumbnail === undefined) return null;
  const own = files.find(({ path }) => path === thumbnail);
  return (own ?? artifacts.get(thumbnail))?.sha256 ?? null;
}

export function textHash(asset: ManifestAsset): string | null {
  const text = embeddingText(asset);
  return text === null ? null : hash('sha256', text);
}
