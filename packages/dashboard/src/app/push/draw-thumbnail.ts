import type { AssetDetail } from '@bindery/contract';
import { DEFAULT_KIND, readStatistics } from '@bindery/contract/wire';
import type { DrawnThumbnail } from '@bindery/sdk/browser/push';
import { bytesOf } from '../../format-quantities.ts';
import { readAssetFile } from '../files/asset-files.ts';
import { readInFrame } from '../files/read-in-frame.ts';
import { pushMessages } from '../messages/push.ts';
import { entryPointsOf } from '../pages/asset/entry-points.ts';
import { readManifest } from '../queries.ts';
import type { Target } from './protocol.ts';

/** Assets drawn after one push, and the most bytes of one asset. */
const MAX_ASSETS = 200;
const MAX_BYTES = 128 * 2 ** 20;

const MODELS: ReadonlySet<string> = new Set(['mjcf', 'urdf', 'sdf', 'usd', 'mesh', 'splat']);

/** A model without a thumbnail, or one with a thumbnail that was never measured. */
export interface Undrawn {
  id: string;
  hasThumbnail: boolean;
  /** Why it is not read; null if it is. */
  problem: string | null;
}

/** Returns the models without a thumbnail, and those by which nobody can find what is similar. */
export async function findUndrawn({ namespace, name }: Target, signal: AbortSignal): Promise<Undrawn[]> {
  const { assets } = await readManifest({ namespace, library: name }, signal);
  const models = assets.filter(({ kind = DEFAULT_KIND }) => MODELS.has(kind));
  const bare = models.filter(({ thumbnail }) => thumbnail === undefined);
  const unmeasured = models.filter(({ thumbnail, meta }) => {
    return thumbnail !== undefined && meta?.statistics === undefined;
  });
  return [...bare, ...unmeasured].map(({ id, thumbnail, files }, at) => {
    const problem = reasonNotToDraw(at, bytesOf(files));
    return { id, hasThumbnail: thumbnail !== undefined, problem };
  });
}

function reasonNotToDraw(before: number, bytes: number): string | null {
  const text = pushMessages.thumbnails;
  if (bytes > MAX_BYTES) return text.tooLarge(MAX_BYTES);
  return before >= MAX_ASSETS ? text.tooMany(MAX_ASSETS) : null;
}

/**
 * Draws and measures an asset in a frame within `place`, as the command line does; one that has a thumbnail is only
 * measured. Rejects with the reason in words if it cannot be drawn.
 */
export async function drawThumbnail(
  place: HTMLElement,
  { namespace, name }: Target,
  asset: AssetDetail,
  signal: AbortSignal,
): Promise<Pick<DrawnThumbnail, 'webp' | 'statistics'>> {
  const { late, noEntry } = pushMessages.thumbnails;
  const [shown] = entryPointsOf(asset);
  if (shown === undefined) throw new Error(noEntry);
  return readInFrame<Pick<DrawnThumbnail, 'webp' | 'statistics'>>(
    place,
    asset.title ?? asset.id,
    { kind: asset.kind, entry: shown.file, files: asset.files.map(({ path, size }) => ({ path, size })) },
    (path, ended) => readAssetFile({ namespace, library: name }, asset, path, ended),
    ({ resolve, reject }) =>
      asset.thumbnailUrl === null
        ? { onThumbnail: (webp, made) => resolve({ webp, statistics: readStatistics({ statistics: made }) }) }
        : {
            onDescribed: (described) => {
              const statistics = readStatistics({ ...described });
              if (statistics.descriptor === undefined) reject(new Error(noEntry));
              else resolve({ webp: null, statistics });
            },
          },
    { signal, late },
  );
}
