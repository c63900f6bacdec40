import viewerCode from 'virtual:viewer-code';
import type { AssetDetail, Manifest } from '@bindery/contract';
import { DEFAULT_KIND, readStatistics, routes } from '@bindery/contract/wire';
import type { DrawnThumbnail } from '@bindery/sdk/browser/push';
import { openViewer } from '../../open-viewer.ts';
import { readAssetFile } from '../files/asset-files.ts';
import { pushMessages } from '../messages/push.ts';
import { entryPointsOf } from '../pages/asset/entry-points.ts';
import { service } from '../session.ts';
import type { Target } from './protocol.ts';

/** Assets drawn after one push, and the limits of one asset: bytes, and milliseconds. */
const MAX_ASSETS = 200;
const MAX_BYTES = 128 * 2 ** 20;
const TIMEOUT = 120_000;

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
  const { assets } = (await service.call(routes.libraries.getManifest, {
    params: { namespace, name },
    signal,
  })) as Manifest;
  const models = assets.filter(({ kind = DEFAULT_KIND }) => MODELS.has(kind));
  const bare = models.filter(({ thumbnail }) => thumbnail === undefined);
  const unmeasured = models.filter(({ thumbnail, meta }) => {
    return thumbnail !== undefined && meta?.statistics === undefined;
  });
  return [...bare, ...unmeasured].map(({ id, thumbnail, files }, at) => {
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    return { id, hasThumbnail: thumbnail !== undefined, problem: reasonNotToDraw(at, bytes) };
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
  const text = pushMessages.thumbnails;
  const [shown] = entryPointsOf(asset);
  if (shown === undefined) throw new Error(text.noEntry);
  const late = AbortSignal.timeout(TIMEOUT);
  const ended = AbortSignal.any([signal, late]);
  const frame = document.createElement('iframe');
  frame.title = asset.title ?? asset.id;
  place.replaceChildren(frame);
  const drawn = Promise.withResolvers<Pick<DrawnThumbnail, 'webp' | 'statistics'>>();
  ended.addEventListener('abort', () => drawn.reject(late.aborted ? new Error(text.late) : signal.reason));
  const viewer = openViewer(
    frame,
    { kind: asset.kind, entry: shown.file, files: asset.files.map(({ path, size }) => ({ path, size })) },
    (path) => readAssetFile({ namespace, library: name }, asset, path, ended),
    {
      theme: 'light',
      code: viewerCode,
      onState: (state) => {
        if (state.status === 'refused') drawn.reject(new Error(state.reason));
      },
      ...(asset.thumbnailUrl === null
        ? {
            onThumbnail: (webp, statistics) =>
              drawn.resolve({ webp, statistics: readStatistics({ statistics }) }),
          }
        : {
            onDescribed: (described) => {
              const statistics = readStatistics({ ...described });
              if (statistics.descriptor === undefined) drawn.reject(new Error(text.noEntry));
              else drawn.resolve({ webp: null, statistics });
            },
          }),
    },
  );
  try {
    return await drawn.promise;
  } finally {
    viewer.close();
    frame.remove();
  }
}
