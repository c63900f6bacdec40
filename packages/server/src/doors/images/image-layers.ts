import { withTimeout } from '@bindery/concurrency';
import { LRUCache } from 'lru-cache';
import type { Database } from '../../database/schema.ts';
import { contentLost, unavailable } from '../../errors.ts';
import { isLost } from '../../objects/damaged.ts';
import type { RevisionIndex } from '../../revision/revision-index.ts';
import type { LayerContent } from './layer-bytes.ts';
import { filesOfLayer, type Layer, layersOf } from './layers.ts';

/** What is known of a layer once its files have been read. */
export interface LayerDigest {
  /** Of the archive as it is sent, in gzip. */
  sha256: string;
  /** Of the archive in it. */
  tarSha256: string;
  crc32: number;
}

/** Reads layers and computes their digests, off the event loop. Throws what is thrown for lost objects, and `unavailable`. */
export interface LayerDigester {
  digest(content: LayerContent): Promise<LayerDigest>;
  close(): Promise<void>;
}

export type DigestedLayer = Layer & LayerDigest;

/** How many positions of files are remembered with the layers asked for last, four bytes each. */
const REMEMBERED = 4_000_000;

/** Milliseconds for which a client waits for a layer: proxies give up after a minute. */
const PATIENCE = 45_000;
/** Seconds. */
const RETRY_AFTER = 10;

/** A revision, with the row that it was opened by. */
interface Opened {
  row: { store_id: string; index_sha256: string };
  index: RevisionIndex;
}

/**
 * The layers of images. The digest of one takes a reading of its files, once: it is kept in the database, for all servers and as
 * long as there is the library, since clients ask for an image by its digest long afterwards.
 */
export class ImageLayers {
  readonly #db: Database;
  readonly #digester: LayerDigester;
  readonly #running = new Map<string, Promise<LayerDigest>>();
  readonly #layers = new LRUCache<string, Layer[], { index: RevisionIndex; number: number | null }>({
    maxSize: REMEMBERED,
    sizeCalculation: (layers) => layers.reduce((sum, { places }) => sum + places.length, 1),
    fetchMethod: (_key, _stale, { context: { index, number } }) => layersOf(index, number),
    ignoreFetchAbort: true,
  });

  constructor(db: Database, digester: LayerDigester) {
    this.#db = db;
    this.#digester = digester;
  }

  /** As `layersOf`, of an asset by its number or of the whole revision. */
  layersOf({ row, index }: Opened, number: number | null): Promise<Layer[]> {
    const key = `${row.store_id} ${row.index_sha256} ${number}`;
    return this.#layers.forceFetch(key, { context: { index, number } });
  }

  /**
   * Returns layers with their digests. Those that nobody has asked for before are read, one after the other until `isGone`. Throws
   * `unavailable` if that takes long; who asks again finds more of them read.
   */
  async withDigests(
    { row, index }: Opened,
    layers: readonly Layer[],
    isGone: () => boolean,
  ): Promise<DigestedLayer[]> {
    const storeId = row.store_id;
    const known = await this.#known(storeId, layers);
    const deadline = performance.now() + PATIENCE;
    const digested: DigestedLayer[] = [];
    for (const layer of layers) {
      const digest =
        known.get(layer.filesSha256) ??
        (await withTimeout(
          isGone() ? notReadYet() : this.#digestOnce(storeId, index, layer),
          deadline - performance.now(),
          notReadYet,
        ));
      digested.push({ ...layer, ...digest });
    }
    return digested;
  }

  /** Returns the layers with their digests if all have been read before, else null. */
  async ifDigested({ row }: Opened, layers: readonly Layer[]): Promise<DigestedLayer[] | null> {
    const known = await this.#known(row.store_id, layers);
    const digested = layers.flatMap((layer) => {
      const digest = known.get(layer.filesSha256);
      return digest === undefined ? [] : [{ ...layer, ...digest }];
    });
    return digested.length === layers.length ? digested : null;
  }

  /** Returns by what files a layer is known, and its digests; null for one that nobody was told of. */
  async find(storeId: string, sha256: string): Promise<(LayerDigest & { filesSha256: string }) | null> {
    const row = await this.#db
      .selectFrom('image_layers')
      .selectAll()
      .where('store_id', '=', storeId)
      .where('sha256', '=', sha256)
      .executeTakeFirst();
    return row === undefined ? null : { filesSha256: row.files_sha256, ...digestOf(row) };
  }

  /** Keeps which index the documents of an image, such as its manifest, were written from. */
  async remember({ row }: Opened, documents: readonly string[]): Promise<void> {
    const { store_id, index_sha256 } = row;
    await this.#db
      .insertInto('image_documents')
      .values(documents.map((sha256) => ({ store_id, sha256, index_sha256 })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  /** Returns the index that a document of an image was written from; null for one that nobody was told of. */
  async findIndexOf(storeId: string, sha256: string): Promise<string | null> {
    const row = await this.#db
      .selectFrom('image_documents')
      .select('index_sha256')
      .where('store_id', '=', storeId)
      .where('sha256', '=', sha256)
      .executeTakeFirst();
    return row?.index_sha256 ?? null;
  }

  close(): Promise<void> {
    return this.#digester.close();
  }

  async #known(storeId: string, layers: readonly Layer[]): Promise<Map<string, LayerDigest>> {
    const wanted = layers.map(({ filesSha256 }) => filesSha256);
    const rows = await this.#db
      .selectFrom('image_layers')
      .selectAll()
      .where('store_id', '=', storeId)
      .where('files_sha256', 'in', wanted)
      .execute();
    return new Map(rows.map((row) => [row.files_sha256, digestOf(row)]));
  }

  #digestOnce(storeId: string, index: RevisionIndex, layer: Layer): Promise<LayerDigest> {
    const key = `${storeId} ${layer.filesSha256}`;
    const running = this.#running.get(key);
    if (running) return running;
    const made = this.#digest(storeId, index, layer).finally(() => this.#running.delete(key));
    this.#running.set(key, made);
    // Who asked may have left.
    made.catch(() => {});
    return made;
  }

  async #digest(storeId: string, index: RevisionIndex, layer: Layer): Promise<LayerDigest> {
    const content = { storeId, files: filesOfLayer(index, layer), tarBytes: layer.tarBytes };
    const digest = await this.#digester.digest(content).catch((error: unknown) => {
      throw isLost(error) ? contentLost('a file of this image') : error;
    });
    const { sha256, tarSha256, crc32 } = digest;
    await this.#db
      .insertInto('image_layers')
      .values({ store_id: storeId, files_sha256: layer.filesSha256, sha256, tar_sha256: tarSha256, crc32 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return digest;
  }
}

function notReadYet(): never {
  throw unavailable(
    'The files of this image are being read for the first time. Try again: what has been read is kept.',
    RETRY_AFTER,
  );
}

function digestOf(row: { sha256: string; tar_sha256: string; crc32: number }): LayerDigest {
  return { sha256: row.sha256, tarSha256: row.tar_sha256, crc32: row.crc32 };
}
