import type { ManifestAsset } from '@bindery/contract';
import { measureAssets } from './measure-assets.ts';
import { ThumbnailCache, type ThumbnailResult } from './thumbnail-cache.ts';
import {
  type DrawnThumbnails,
  pictureAsset,
  renderRequest,
  type ThumbnailOptions,
  type ThumbnailRenderer,
  type ThumbnailReport,
} from './thumbnails.ts';
import { workThrough } from './work-through.ts';

/** Measures the assets that state no statistics, and draws none. */
export async function measureOnly(
  assets: readonly ManifestAsset[],
  root: string,
  renderer: ThumbnailRenderer,
  options: ThumbnailOptions,
): Promise<DrawnThumbnails> {
  const cache = new ThumbnailCache(options.cacheFolder, renderer.version);
  const { statistics, pending } = await measureAssets(
    assets.filter(isUnstated),
    root,
    renderer,
    cache,
    options,
  );
  return { sources: new Map(), statistics, unmeasured: pending, pending: 0, report: null };
}

function isUnstated({ meta }: ManifestAsset): boolean {
  return meta?.statistics === undefined;
}

/**
 * Makes thumbnails for the assets that have none, from the files below `root` or from the cache if the same files were
 * drawn before. An asset that cannot be drawn gets a warning and no thumbnail. Assets that have a picture are measured
 * without being drawn.
 */
export async function drawThumbnails(
  assets: readonly ManifestAsset[],
  root: string,
  renderer: ThumbnailRenderer,
  options: ThumbnailOptions,
): Promise<DrawnThumbnails & { report: ThumbnailReport }> {
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
  const unstated = assets.filter(isUnstated);
  const isPicture = ({ id, thumbnail }: ManifestAsset) =>
    thumbnail !== undefined || (options.pictures?.has(id) === true && all.get(id)?.from !== 'model');
  const measured = await measureAssets(unstated.filter(isPicture), root, renderer, cache, options);
  const drawn = new Map(withImage(all, 'model'));
  return {
    sources: new Map(withImage(all).map(([id, { source }]) => [id, source])),
    statistics: new Map(
      unstated.flatMap(({ id }) => {
        const statistics = drawn.get(id)?.statistics ?? measured.statistics.get(id);
        return statistics === undefined ? [] : [[id, statistics] as const];
      }),
    ),
    unmeasured: measured.pending,
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
      unmeasured: measured.unfinished,
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
  const drawn = new Map<string, SourcedThumbnail>();
  if (assets.length === 0) return drawn;
  const work = { label: 'Drawing thumbnails', unit: 'assets' } as const;
  await workThrough(assets, work, renderer, options, async (asset) => {
    const subject = subjectOf(asset, options);
    let thumbnail = await drawOne(subject, root, renderer, cache);
    let from: SourcedThumbnail['from'] = subject === asset ? 'model' : 'picture';
    // If the picture cannot be read, the asset itself is drawn.
    if (subject !== asset && 'warning' in thumbnail && asset.entry !== undefined) {
      thumbnail = cache.find(asset) ?? (await drawOne(asset, root, renderer, cache));
      from = 'model';
    }
    // The warning of a stopped renderer says nothing about the asset.
    options.signal?.throwIfAborted();
    drawn.set(asset.id, { thumbnail, from });
  });
  return drawn;
}

/** Draws an asset. Caches the result unless it is a transient warning. */
async function drawOne(
  asset: ManifestAsset,
  root: string,
  renderer: ThumbnailRenderer,
  cache: ThumbnailCache,
): Promise<ThumbnailResult> {
  const thumbnail = await renderer.render(renderRequest(asset, root));
  if ('warning' in thumbnail && thumbnail.transient) return thumbnail;
  return cache.keep(asset, thumbnail);
}
