import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { RevisionRow } from '../../../access/libraries.ts';
import type { Context } from '../../../context.ts';
import { findModel } from '../../../doors/fuel.ts';
import type { DigestedLayer } from '../../../doors/images/image-layers.ts';
import { layerLength } from '../../../doors/images/layer-bytes.ts';
import type { DoorRevision } from '../../../doors/revision.ts';
import { ServiceError } from '../../../errors.ts';
import { openRevision } from '../../../objects/open-revision.ts';
import { releasedRows } from '../../../objects/references.ts';

/** Of how many libraries it is remembered which revision is being pulled. */
const REMEMBERED = 10_000;

/** A revision and the asset in it that the repository is of; null for all of it. */
export interface Repository {
  revision: DoorRevision;
  number: number | null;
}

/** The images of repositories: by tag they are written, by digest found again. */
export class Images {
  readonly #context: Context;
  /** The index of the revision whose manifest was read last, by the store of its library. */
  readonly #pulled = new LRUCache<string, string>({ max: REMEMBERED });

  constructor(context: Context) {
    this.#context = context;
  }

  /** Writes the image of a revision. Throws what `layersOf` and `withDigests` throw, and `not_found` for an unknown asset. */
  async write(revision: DoorRevision, assetId: string | undefined, isGone: () => boolean): Promise<Image> {
    const { imageLayers } = this.#context;
    const { row, index } = revision;
    const number = assetId === undefined ? null : await findModel(index, assetId);
    const layers = await imageLayers.layersOf(revision, number);
    const digested = await imageLayers.withDigests(revision, layers, isGone);
    const image = imageOf(row, number === null ? null : index.card(number), digested);
    await imageLayers.remember(
      revision,
      documentsOf(image).map(({ digest }) => digest.slice('sha256:'.length)),
    );
    this.#pulled.set(row.store_id, row.index_sha256);
    return image;
  }

  /** Returns the document with this digest of an image that somebody asked for, null if the library has none. */
  async find(
    current: DoorRevision,
    assetId: string | undefined,
    sha256: string,
  ): Promise<ImageDocument | null> {
    const { imageLayers } = this.#context;
    const { store_id } = current.row;
    const indexSha256 = await imageLayers.findIndexOf(store_id, sha256);
    if (indexSha256 === null) return null;
    const isFrom = (row: RevisionRow) => row.index_sha256 === indexSha256;
    for await (const { revision, number } of this.#repositoriesOf(current, assetId, isFrom)) {
      const layers = await imageLayers.layersOf(revision, number);
      const digested = await imageLayers.ifDigested(revision, layers);
      if (digested === null) continue;
      const image = imageOf(revision.row, number === null ? null : revision.index.card(number), digested);
      const found = documentsOf(image).find(({ digest }) => digest === `sha256:${sha256}`);
      if (found === undefined) continue;
      this.#pulled.set(store_id, indexSha256);
      return found;
    }
    return null;
  }

  /** Returns the layer with this digest, and a revision that has its files; null if the library has none. */
  async findLayer(
    current: DoorRevision,
    assetId: string | undefined,
    sha256: string,
  ): Promise<{ revision: DoorRevision; layer: DigestedLayer } | null> {
    const { imageLayers } = this.#context;
    const known = await imageLayers.find(current.row.store_id, sha256);
    if (known === null) return null;
    for await (const { revision, number } of this.#repositoriesOf(current, assetId, () => true)) {
      const layers = await imageLayers.layersOf(revision, number);
      const layer = layers.find(({ filesSha256 }) => filesSha256 === known.filesSha256);
      if (layer !== undefined) return { revision, layer: { ...layer, ...known } };
    }
    return null;
  }

  /**
   * Yields what a library has: its current revision, then its releases, the latest first. The one whose manifest was read
   * last comes before the others, since its layers are asked for one after the other.
   */
  async *#repositoriesOf(
    current: DoorRevision,
    assetId: string | undefined,
    isWanted: (row: RevisionRow) => boolean,
  ): AsyncGenerator<Repository> {
    const { row, ...door } = current;
    const pulled = this.#pulled.get(row.store_id);
    const isPulled = ({ index_sha256 }: RevisionRow) => Number(index_sha256 === pulled);
    const released = await releasedRows(this.#context.db, row.store_id);
    released.sort((one, other) => other.revision - one.revision);
    const rows = [row, ...released].sort((one, other) => isPulled(other) - isPulled(one));
    for (const asked of rows.filter(isWanted)) {
      const revision =
        asked === row
          ? current
          : { ...door, ...(await openRevision(this.#context, asked)), isPermanent: true };
      const number = assetId === undefined ? null : await findModel(revision.index, assetId).catch(ifMissing);
      if (assetId === undefined || number !== null) yield { revision, number };
    }
  }
}

function documentsOf({ index, manifests, configs }: Image): ImageDocument[] {
  return [index, ...manifests, ...configs];
}

function ifMissing(error: unknown): null {
  if (error instanceof ServiceError && error.code === 'not_found') return null;
  throw error;
}

const CONFIG_TYPE = 'application/vnd.oci.image.config.v1+json';
const INDEX_TYPE = 'application/vnd.oci.image.index.v1+json';
const LAYER_TYPE = 'application/vnd.oci.image.layer.v1.tar+gzip';
const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';

/** The files are the same for all, but runtimes unpack only what is of their own. */
const ARCHITECTURES = ['amd64', 'arm64'] as const;

/** A document of an image, such as its manifest. */
export interface ImageDocument {
  mediaType: string;
  bytes: Buffer;
  digest: string;
}

/** A library, or one of its assets, as an image. */
interface Image {
  /** The manifest for the first architecture, which clients without one take. */
  manifest: ImageDocument;
  /** What lists the manifests of all architectures. */
  index: ImageDocument;
  manifests: readonly ImageDocument[];
  configs: readonly ImageDocument[];
}

type Card = ReturnType<DoorRevision['index']['card']>;

/** Writes the documents of an image, which depend on these alone. */
function imageOf(row: RevisionRow, card: Card | null, layers: readonly DigestedLayer[]): Image {
  const annotations = annotationsOf(row, card);
  const described = layers.map((layer) => ({
    mediaType: LAYER_TYPE,
    digest: `sha256:${layer.sha256}`,
    size: layerLength(layer),
    annotations: { 'org.opencontainers.image.title': layer.title },
  }));
  const diffIds = layers.map(({ tarSha256 }) => `sha256:${tarSha256}`);
  const configs = ARCHITECTURES.map((architecture) =>
    documentOf(CONFIG_TYPE, {
      architecture,
      os: 'linux',
      config: {},
      rootfs: { type: 'layers', diff_ids: diffIds },
    }),
  );
  const manifests = configs.map((config) =>
    documentOf(MANIFEST_TYPE, {
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      config: descriptorOf(config),
      layers: described,
      annotations,
    }),
  );
  const [manifest] = manifests as [ImageDocument];
  const index = documentOf(INDEX_TYPE, {
    schemaVersion: 2,
    mediaType: INDEX_TYPE,
    manifests: manifests.map((one, at) => ({
      ...descriptorOf(one),
      platform: { architecture: ARCHITECTURES[at], os: 'linux' },
    })),
    annotations,
  });
  return { manifest, index, manifests, configs };
}

function documentOf(mediaType: string, content: unknown): ImageDocument {
  const bytes = Buffer.from(JSON.stringify(content));
  return { mediaType, bytes, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}` };
}

function descriptorOf({ mediaType, digest, bytes }: ImageDocument) {
  return { mediaType, digest, size: bytes.length };
}

/** What the specification has names for; a release is not in it, since the same content has one digest. */
function annotationsOf(row: RevisionRow, card: Card | null): Record<string, string> {
  const found = {
    title: card === null ? row.title : (card.title ?? card.assetId),
    description: card === null ? row.description : card.description,
    licenses: card?.license ?? row.license,
    url: row.homepage,
    source: row.upstream_repo,
    revision: row.upstream_commit,
  };
  const named = Object.entries(found).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return Object.fromEntries(named.map(([name, value]) => [`org.opencontainers.image.${name}`, value]));
}
