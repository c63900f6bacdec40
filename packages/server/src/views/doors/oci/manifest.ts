import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { RevisionRow } from '../../../access/libraries.ts';
import type { Context } from '../../../context.ts';
import { findModel } from '../../../doors/fuel.ts';
import { commitOf, type DoorRevision } from '../../../doors/revision.ts';
import { allFiles } from '../../../doors/tree.ts';
import { ServiceError } from '../../../errors.ts';
import { openRevision } from '../../../objects/open-revision.ts';
import { releasedRows } from '../../../objects/references.ts';
import { nextTurn, turnIsOver } from '../../../process/turns.ts';
import type { ClosureFile } from '../../../revision/file-closure.ts';

export const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';

/** What the artifact is: files, each a layer under its path. */
const ARTIFACT_TYPE = 'application/vnd.bindery.library.v1';

/** The configuration says nothing, since all is in the manifest. */
export const CONFIG = Buffer.from('{}');
export const CONFIG_DIGEST = digestOf(CONFIG);

/** The most bytes of a manifest that registries and clients accept. */
const MOST_BYTES = 4 * 2 ** 20;

export interface OciManifest {
  bytes: Buffer;
  digest: string;
}

/** A library, or one of its assets, as an artifact. */
export type Repository = Pick<DoorRevision, 'row' | 'index'> & { assetId: string | undefined };

/**
 * Returns the manifest of a revision, or of one asset in it. Layers are the files themselves, so their digests are known
 * and the manifest depends on the revision alone. Throws `not_found` for an unknown asset, and `payload_too_large`.
 */
export async function manifestOf({ row, index, assetId }: Repository): Promise<OciManifest> {
  const number = assetId === undefined ? null : await findModel(index, assetId);
  const card = number === null ? null : index.card(number);
  const hash = createHash('sha256');
  const pieces: string[] = [];
  let length = 0;
  let piece = JSON.stringify({
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    artifactType: ARTIFACT_TYPE,
    config: {
      mediaType: 'application/vnd.bindery.library.config.v1+json',
      digest: CONFIG_DIGEST,
      size: CONFIG.length,
    },
    annotations: annotationsOf(row, card),
  });
  piece = `${piece.slice(0, -1)},"layers":[`;
  const files = number === null ? allFiles({ files: index.files }) : filesOf({ row, index }, number);
  let separator = '';
  for await (const file of files) {
    add(piece);
    piece = separator + JSON.stringify(layerOf(file));
    separator = ',';
    if (turnIsOver()) await nextTurn();
  }
  add(`${piece}]}`);
  return { bytes: Buffer.from(pieces.join('')), digest: `sha256:${hash.digest('hex')}` };

  function add(text: string): void {
    length += Buffer.byteLength(text);
    if (length > MOST_BYTES)
      throw new ServiceError(
        'payload_too_large',
        'It has more files than a manifest can list. Pull one asset: add its id to the name of the repository.',
      );
    hash.update(text);
    pieces.push(text);
  }
}

function* filesOf({ index }: Pick<DoorRevision, 'row' | 'index'>, number: number): Generator<ClosureFile> {
  for (const place of index.filesOf(number)) yield index.files.at(place);
}

function layerOf({ path, size, sha256 }: ClosureFile) {
  return {
    mediaType: 'application/octet-stream',
    digest: `sha256:${sha256}`,
    size,
    annotations: { 'org.opencontainers.image.title': path },
  };
}

type Card = ReturnType<DoorRevision['index']['card']>;

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

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** How many digests of manifests are remembered, and of how many libraries the revision that is being pulled. */
const REMEMBERED = 10_000;

/** Finds revisions by what is in them. Each manifest is written once to learn its digest, however many digests are asked for. */
export class ManifestDigests {
  readonly #context: Context;
  readonly #digests = new LRUCache<string, Promise<string | null>>({ max: REMEMBERED });
  /** The index of the revision whose manifest was read last, by the store of its library. */
  readonly #pulled = new LRUCache<string, string>({ max: REMEMBERED });

  constructor(context: Context) {
    this.#context = context;
  }

  remember({ row, assetId }: Repository, digest: string): void {
    this.#digests.set(keyOf(row, assetId), Promise.resolve(digest));
    this.#pulled.set(row.store_id, row.index_sha256);
  }

  /**
   * Yields what a library has: its current revision, then its releases, the latest first. The one whose manifest was read
   * last comes before the others, since its blobs are asked for one after the other.
   */
  async *revisionsOf({ row, ...door }: DoorRevision): AsyncGenerator<DoorRevision> {
    yield { row, ...door };
    const released = await releasedRows(this.#context.db, row.store_id);
    const seen = new Set([row.index_sha256]);
    const pulled = this.#pulled.get(row.store_id);
    const isPulled = ({ index_sha256 }: RevisionRow) => Number(index_sha256 === pulled);
    released.sort((one, other) => isPulled(other) - isPulled(one) || other.revision - one.revision);
    for (const release of released) {
      if (seen.has(release.index_sha256)) continue;
      seen.add(release.index_sha256);
      yield { ...door, ...(await openRevision(this.#context, release)), isPermanent: true };
    }
  }

  /** Returns the manifest with a digest, null if the library has none or nobody waits for it. */
  async find(
    current: DoorRevision,
    assetId: string | undefined,
    digest: string,
    isGone: () => boolean,
  ): Promise<OciManifest | null> {
    for await (const { row, index } of this.revisionsOf(current)) {
      if (isGone()) break;
      const key = keyOf(row, assetId);
      const known = this.#digests.get(key) ?? this.#write(key, { row, index, assetId });
      if ((await known) !== digest) continue;
      this.#pulled.set(row.store_id, row.index_sha256);
      return manifestOf({ row, index, assetId });
    }
    return null;
  }

  #write(key: string, repository: Repository): Promise<string | null> {
    const written = manifestOf(repository).then(
      ({ digest }) => digest,
      (error: unknown) => {
        if (error instanceof ServiceError) return null;
        this.#digests.delete(key);
        throw error;
      },
    );
    this.#digests.set(key, written);
    return written;
  }
}

function keyOf(row: RevisionRow, assetId: string | undefined): string {
  return `${commitOf(row, row.manifest_sha256)} ${assetId ?? ''}`;
}
