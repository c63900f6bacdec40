import type { Manifest, ManifestAsset, ManifestFile, Visibility } from '@bindery/contract';
import { MANIFEST_SCHEMA, SOURCE_CURATION_PATH, SOURCE_README_PATH } from '@bindery/contract/wire';
import type { AssetCertifier, MadeCertificates } from '../artifacts/certificates.ts';
import { withMissing } from '../artifacts/statistics.ts';
import type { DrawnThumbnails, ThumbnailRenderer } from '../artifacts/thumbnails.ts';
import type { EmbeddingModel, NextRevision, PreparedVectors } from '../artifacts/vectors.ts';
import type { LibraryClient } from '../client/call.ts';
import type { DiscoveredAsset, DiscoveredLibrary } from '../discovery/discovered-library.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import type { ManifestStore, RemoteLibrary } from '../library/read-library.ts';
import type { ProgressListener } from '../tree/progress.ts';
import type { PublishOptions } from '../tree/publish-rules.ts';
import { bytesSource, type UploadSource } from '../tree/upload-source.ts';
import type { PushPlan } from './plan.ts';

/**
 * The local side of a push, independent of the library's content and of where the folder is: on disk, or in a browser.
 */
export interface PushSource {
  found: DiscoveredLibrary;
  /** The manifest of the folder alone, before thumbnails and vectors are made. */
  local: Manifest;
  /** The folder's `bindery.yml` and README, as the platform artifacts that they become. */
  rootFiles: readonly UploadSource[];
  /** Whether certificates, thumbnails or vectors will be made, which takes a long time. */
  generatesArtifacts: boolean;
  /** Returns null if no certificates are requested. Throws `CertificationError` for robots that fail. */
  certify(manifest: Manifest): Promise<MadeCertificates | null>;
  /**
   * Draws the assets of the folder's manifest, or only measures what `carried`, the same with what the library keeps of
   * it, does not say. Returns null if neither is possible.
   */
  draw(manifest: Manifest, carried: Manifest): Promise<DrawnThumbnails | null>;
  embed(
    client: LibraryClient,
    address: LibraryAddress,
    next: NextRevision,
    remote: RemoteLibrary | null,
  ): Promise<PreparedVectors>;
  /** Opens a file of the folder. */
  open(file: ManifestFile): UploadSource;
}

/** What is said of a proposal. */
export interface ProposedText {
  title: string;
  message?: string | undefined;
  /** What a check of the folder has found. */
  authorCheck?: { errors: number; warnings: number; notes: number } | undefined;
}

/** How the next revision of a library is prepared and published. */
export interface RevisionOptions {
  manifests?: ManifestStore | undefined;
  /** Do not publish; return what would change. */
  dryRun?: boolean | undefined;
  /**
   * Whether the folder is the whole library, as it is by default, or a part of it. Of a part, assets that only the
   * library has stay.
   */
  coverage?: 'whole' | 'part' | undefined;
  /** Of a part: ids of assets that only the library has and that are removed. */
  removed?: ReadonlySet<string> | undefined;
  /**
   * Push even if this undoes what others did since this folder was last in step with the library: all of it or, of these
   * assets and files, what the last pull or a refused push has shown.
   */
  force?: boolean | readonly string[] | undefined;
  /** Read every local file, whatever the cache says, and have the service read its copies. */
  verify?: boolean | undefined;
  visibility?: Visibility | undefined;
  /** Publish nothing: keep it as a proposal for those who may. */
  propose?: ProposedText | undefined;
  /**
   * Called before anything is sent if texts, licences or files that are only left out would be removed. If it throws,
   * nothing is published. Without it such a push is refused.
   */
  confirmRemovals?: ((plan: PushPlan) => Promise<void>) | undefined;
  /** Called when everything has arrived and nothing is published yet. If it throws, nothing is published. */
  beforeRegister?: (() => Promise<void>) | undefined;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

export interface PushOptions
  extends Omit<RevisionOptions, 'manifests' | 'coverage' | 'removed'>,
    PublishOptions {
  cacheFolder: string;
  stateFolder: string;
  /** Publish only if the plan still has this digest, which a dry run returned. */
  plan?: string | undefined;
  /** Measures the models, and draws thumbnails of the assets that have none. */
  renderer?: ThumbnailRenderer | undefined;
  /** Only measure the models. */
  measuresOnly?: boolean | undefined;
  /** Draw them in a dry run, too: its plan then has every byte that a push publishes. */
  drawsWhenPlanned?: boolean | undefined;
  /** Simulate the robots, and publish their certificates; if one fails, publish nothing. */
  certifier?: AssetCertifier | undefined;
  /** Make vectors of all thumbnails and texts. */
  model?: EmbeddingModel | undefined;
}

/** Builds the manifest of a discovered library from the hashes of its files, by path. */
export function buildManifest(found: DiscoveredLibrary, hashes: ReadonlyMap<string, string>): Manifest {
  const generated = [
    ...(found.curation === null ? [] : [SOURCE_CURATION_PATH]),
    ...(found.readme === null ? [] : [SOURCE_README_PATH]),
  ];
  return {
    schema: MANIFEST_SCHEMA,
    ...(found.library === undefined ? {} : { library: found.library }),
    assets: found.assets.map((asset) =>
      withMissing(withHashes(asset, hashes), found.findings.get(asset.id) ?? []),
    ),
    ...(generated.length === 0 ? {} : { generated }),
  };
}

export function withHashes(asset: DiscoveredAsset, hashes: ReadonlyMap<string, string>): ManifestAsset {
  const files = asset.files.map(({ path, size }) => ({ path, size, sha256: hashes.get(path) ?? '' }));
  return { ...asset, files };
}

/** Returns the files at a folder's root that are published with its library, as platform artifacts. */
export function rootFilesOf({
  curation,
  readme,
}: Record<'curation' | 'readme', Uint8Array | null>): UploadSource[] {
  return [
    ...(curation === null ? [] : [bytesSource(SOURCE_CURATION_PATH, curation)]),
    ...(readme === null ? [] : [bytesSource(SOURCE_README_PATH, readme)]),
  ];
}
