import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forEachBounded } from '@bindery/concurrency';
import type { AssetStatistics, ManifestAsset } from '@bindery/contract';
import { DEFAULT_KIND, THUMBNAILS_FOLDER } from '@bindery/contract/wire';
import { digestOf } from '../library/manifest.ts';
import { fileSource } from '../tree/files.ts';
import { type ProgressListener, type WorkTotal, withProgress } from '../tree/progress.ts';
import { bytesSource, type UploadSource } from '../tree/upload-source.ts';
import { DerivedFileCache } from './derived-file-cache.ts';
import {
  type AuthorsPictures,
  type DrawnThumbnails,
  pictureAsset,
  type RenderedThumbnail,
  type ThumbnailOmissions,
  type ThumbnailRenderer,
} from './thumbnails.ts';

export interface ThumbnailOptions {
  cacheFolder: string;
  /** Authors' pictures of assets without a thumbnail. They are scaled down, and the assets are not drawn. */
  pictures?: AuthorsPictures | undefined;
  /** Report what would be drawn without drawing it. */
  dryRun?: boolean | undefined;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

/**
 * Makes thumbnails for the assets that have none, from the files below `root` or from the cache if the same files were
 * drawn before. An asset that cannot be drawn gets a warning and no thumbnail.
 */
export async function drawThumbnails(
  assets: readonly ManifestAsset[],
  root: string,
  renderer: ThumbnailRenderer,
  options: ThumbnailOptions,
): Promise<DrawnThumbnails> {
  const cache = new ThumbnailCache(options.cacheFolder, renderer.version);
  const bare = assets.filter(({ thumbnail }) => thumbnail === undefined);
  const found = new Map<string, SourcedThumbnail>();
  const missing: ManifestAsset[] = [];
  for (const asset of bare) {
    const known = findCached(asset, subjectOf(asset, options), cache);
    if (known === null) missing.push(asset);
    else found.set(asset.id, known);
  }
  const made = options.dryRun ? NOTHING : await drawMissing(missing, root, renderer, cache, options);
  const pending = options.dryRun ? missing : [];
  // In the library's order, regardless of which was drawn first.
  const all = new Map(
    bare.flatMap(({ id }) => {
      const one = found.get(id) ?? made.get(id);
      return one === undefined ? [] : [[id, one] as const];
    }),
  );
  const stated = new Set(bare.flatMap(({ id, meta }) => (meta?.statistics === undefined ? [] : [id])));
  return {
    sources: new Map(withImage(all).map(([id, { source }]) => [id, source])),
    statistics: new Map(
      withImage(all).flatMap(([id, { statistics }]) =>
        statistics === undefined || stated.has(id) ? [] : [[id, statistics] as const],
      ),
    ),
    pending: pending.length,
    report: {
      authored: assets.length - bare.length,
      resized:
        withImage(all, 'picture').length + pending.filter(({ id }) => options.pictures?.has(id)).length,
      rendered:
        withImage(made, 'model').length + pending.filter(({ id }) => !options.pictures?.has(id)).length,
      cached: withImage(found, 'model').length,
      warnings: bare.flatMap(({ id }) => {
        const thumbnail = all.get(id)?.thumbnail;
        return thumbnail !== undefined && 'warning' in thumbnail
          ? [{ asset: id, warning: thumbnail.warning }]
          : [];
      }),
      incomplete: withImage(all).flatMap(([asset, { omissions }]) =>
        omissions === undefined ? [] : [{ asset, omissions }],
      ),
    },
  };
}

/** A thumbnail, and whether it was scaled down from the author's picture or drawn from the model. */
interface SourcedThumbnail {
  thumbnail: ThumbnailResult;
  from: 'model' | 'picture';
}

const NOTHING: ReadonlyMap<string, SourcedThumbnail> = new Map();

/** Returns the thumbnails that have an image, of one origin only if that is given. */
function withImage(made: ReadonlyMap<string, SourcedThumbnail>, origin?: SourcedThumbnail['from']) {
  return [...made].flatMap(([id, { thumbnail, from }]) =>
    'source' in thumbnail && (origin ?? from) === from ? [[id, thumbnail] as const] : [],
  );
}

/** Returns the cached result, or a warning if the asset has no entry; null if it has to be drawn. */
function findCached(
  asset: ManifestAsset,
  subject: ManifestAsset,
  cache: ThumbnailCache,
): SourcedThumbnail | null {
  if (subject.entry === undefined) return { thumbnail: NO_ENTRY, from: 'model' };
  const found = cache.find(subject);
  if (found !== null && subject !== asset && 'source' in found) return { thumbnail: found, from: 'picture' };
  const drawn = found !== null && subject !== asset ? cache.find(asset) : found;
  return drawn === null ? null : { thumbnail: drawn, from: 'model' };
}

/** Returns what is drawn for an asset: its author's picture if there is one, else the asset itself. */
function subjectOf(asset: ManifestAsset, { pictures }: ThumbnailOptions): ManifestAsset {
  const picture = pictures?.get(asset.id);
  return picture === undefined ? asset : pictureAsset(asset, picture);
}

const NO_ENTRY = { warning: 'has no file that a viewer would open' };

async function drawMissing(
  assets: readonly ManifestAsset[],
  root: string,
  renderer: ThumbnailRenderer,
  cache: ThumbnailCache,
  options: ThumbnailOptions,
): Promise<Map<string, SourcedThumbnail>> {
  const { signal, progress } = options;
  const drawn = new Map<string, SourcedThumbnail>();
  if (assets.length === 0) return drawn;
  const stop = () => void renderer.close();
  signal?.addEventListener('abort', stop, { once: true });
  const total: WorkTotal = { bytes: 0, items: assets.length, unit: 'assets' };
  try {
    await withProgress(progress, 'Drawing thumbnails', total, (work) =>
      forEachBounded(assets, { concurrency: renderer.concurrency, signal }, async (asset) => {
        const subject = subjectOf(asset, options);
        let thumbnail = await drawOne(subject, root, renderer, cache);
        let from: SourcedThumbnail['from'] = subject === asset ? 'model' : 'picture';
        // If the picture cannot be read, the asset itself is drawn.
        if (subject !== asset && 'warning' in thumbnail && asset.entry !== undefined) {
          thumbnail = cache.find(asset) ?? (await drawOne(asset, root, renderer, cache));
          from = 'model';
        }
        // The warning of a stopped renderer says nothing about the asset.
        signal?.throwIfAborted();
        drawn.set(asset.id, { thumbnail, from });
        work.advance({ items: 1 });
      }),
    );
    return drawn;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** Draws an asset. Caches the result unless it is a transient warning or a file changed in the meantime. */
async function drawOne(
  asset: ManifestAsset,
  root: string,
  renderer: ThumbnailRenderer,
  cache: ThumbnailCache,
): Promise<ThumbnailResult> {
  const { kind = DEFAULT_KIND, format, entry = '' } = asset;
  const files = new VerifiedFiles(asset, root);
  const thumbnail = await renderer.render({ kind, format, entry, files });
  const lasting = !files.failed && !('transient' in thumbnail && thumbnail.transient);
  if (lasting) return cache.keep(asset, thumbnail);
  if ('warning' in thumbnail) return thumbnail;
  const { webp, ...facts } = thumbnail;
  return { source: sourceOf(asset, webp, null), ...facts };
}

/** Reads an asset's files and verifies them against the hashes of its manifest entry. */
class VerifiedFiles {
  readonly sizes: ReadonlyMap<string, number>;
  /** Whether a file could not be read or no longer matched its hash. */
  failed = false;
  readonly #root: string;
  readonly #hashes: ReadonlyMap<string, string>;

  constructor({ files }: ManifestAsset, root: string) {
    this.sizes = new Map(files.map(({ path, size }) => [path, size]));
    this.#hashes = new Map(files.map(({ path, sha256 }) => [path, sha256]));
    this.#root = root;
  }

  async read(path: string): Promise<Uint8Array> {
    try {
      const bytes = await readFile(join(this.#root, path));
      if (hash('sha256', bytes) === this.#hashes.get(path)) return bytes;
    } catch {}
    this.failed = true;
    throw new Error(`${path} changed while it was read`);
  }
}

const CACHE_BYTES = 4 * 1024 ** 3;
/** Incremented if the layout of cached files changes. */
const CACHE_FORMAT = 3;
const WARNING = '.warning';

/** What a renderer says of what it drew. */
interface ThumbnailFacts {
  omissions?: ThumbnailOmissions | undefined;
  statistics?: AssetStatistics | undefined;
}

/** A thumbnail to send, or why there is none. */
export type ThumbnailResult = ({ source: UploadSource } & ThumbnailFacts) | { warning: string };

/** Caches the thumbnails and warnings of one renderer version, by everything that determines the picture. */
class ThumbnailCache {
  readonly #cache: DerivedFileCache;
  readonly #version: string;

  constructor(cacheFolder: string, version: string) {
    this.#cache = new DerivedFileCache(join(cacheFolder, 'thumbnails'), CACHE_BYTES);
    this.#version = version;
  }

  find(asset: ManifestAsset): ThumbnailResult | null {
    const name = this.#name(asset);
    const picture = this.#cache.read(name);
    if (picture !== null) {
      const { webp, ...facts } = unpacked(picture.content);
      return { source: sourceOf(asset, webp, picture.path), ...facts };
    }
    const warning = this.#cache.read(name + WARNING);
    return warning === null ? null : { warning: warning.content.toString('utf8') };
  }

  keep(asset: ManifestAsset, thumbnail: RenderedThumbnail): ThumbnailResult {
    const name = this.#name(asset);
    if ('warning' in thumbnail) {
      this.#cache.write(name + WARNING, Buffer.from(thumbnail.warning));
      return thumbnail;
    }
    const { webp, ...facts } = thumbnail;
    return { source: sourceOf(asset, webp, this.#cache.write(name, packed(webp, facts))), ...facts };
  }

  /** Makes room. Must not be called while a source of this cache is in use. */
  trim(): void {
    this.#cache.trim();
  }

  #name({ kind, format, entry, files }: ManifestAsset): string {
    return hash(
      'sha256',
      JSON.stringify([CACHE_FORMAT, this.#version, kind, format, entry, digestOf(files)]),
    );
  }
}

const LENGTH_BYTES = 4;

/** Joins the picture, what is said of it as JSON and the length of the JSON, so that none is stored without the others. */
function packed(webp: Uint8Array, facts: ThumbnailFacts): Uint8Array {
  const json = Buffer.from(JSON.stringify(facts));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(json.length);
  return Buffer.concat([webp, json, length]);
}

function unpacked(content: Buffer): { webp: Uint8Array } & ThumbnailFacts {
  const end = content.length - LENGTH_BYTES;
  const start = end - content.readUInt32LE(end);
  return {
    ...(JSON.parse(content.toString('utf8', start, end)) as ThumbnailFacts),
    webp: content.subarray(0, start),
  };
}

/** Returns a source that reads the picture from `place` when it is sent, or keeps it in memory if `place` is null. */
function sourceOf({ id }: ManifestAsset, webp: Uint8Array, place: string | null): UploadSource {
  const source = bytesSource(`${THUMBNAILS_FOLDER}${id}.webp`, webp);
  const { path, size, sha256 } = source;
  return place === null ? source : fileSource({ path, size, sha256 }, place);
}
