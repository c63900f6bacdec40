import type { Manifest, ManifestAsset, ManifestFile } from '@bindery/contract';
import { VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH } from '@bindery/contract/wire';
import type { LibraryClient } from '../client/library-client.ts';
import { downloadArtifacts } from '../library/download-artifacts.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import type { RemoteLibrary } from '../library/read-library.ts';
import { textHash, thumbnailHash } from './asset-content.ts';
import { type AssetVectors, readSidecar, type Sidecar } from './sidecar.ts';

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
    const found = await downloadArtifacts(this.#client, this.#address, files, this.#signal);
    const [document, matrix] = paths.map((path) => found.get(path));
    if (document === undefined || matrix === undefined) return 'half of them is missing';
    return readSidecar(document, matrix);
  }
}
