import { createHash } from 'node:crypto';
import type { RevisionRow } from '../../../access/libraries.ts';
import type { DigestedLayer } from '../../../doors/images/image-layers.ts';
import { layerLength } from '../../../doors/images/layer-bytes.ts';
import type { DoorRevision } from '../../../doors/revision.ts';

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
export interface Image {
  /** The manifest for the first architecture, which clients without one take. */
  manifest: ImageDocument;
  /** What lists the manifests of all architectures. */
  index: ImageDocument;
  manifests: readonly ImageDocument[];
  configs: readonly ImageDocument[];
}

type Card = ReturnType<DoorRevision['index']['card']>;

/** Writes the documents of an image, which depend on these alone. */
export function imageOf(row: RevisionRow, card: Card | null, layers: readonly DigestedLayer[]): Image {
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
