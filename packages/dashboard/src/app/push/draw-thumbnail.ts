import viewerCode from 'virtual:viewer-code';
import type { AssetDetail } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { openViewer } from '../../open-viewer.ts';
import { readAssetFile } from '../files/asset-files.ts';
import { entryPointsOf } from '../pages/asset/entry-points.ts';
import { service } from '../session.ts';
import type { Target } from './protocol.ts';

/** Assets drawn after one push, and the limits of one asset: bytes, and milliseconds. */
const MAX_ASSETS = 200;
const MAX_BYTES = 128 * 2 ** 20;
const TIMEOUT = 60_000;

/** Hits per search request, to keep each response small. */
const PAGE = 200;

const MODELS: ReadonlySet<string> = new Set(['mjcf', 'urdf', 'sdf', 'mesh', 'splat']);

/** The longer side in pixels and the WebP quality, the same as for thumbnails that the command line draws. */
const SIZE = 640;
const QUALITY = 0.82;

/** Returns the ids of models without a thumbnail, up to the limits of one push. */
export async function findUndrawn({ namespace, name }: Target, signal: AbortSignal): Promise<string[]> {
  const ids: string[] = [];
  for (let offset = 0; ids.length < MAX_ASSETS; offset += PAGE) {
    const { hits, total } = await service.call(routes.search.searchLibrary, {
      params: { namespace, name },
      query: { limit: PAGE, offset },
      signal,
    });
    for (const { assetId, kind, thumbnailUrl, files } of hits) {
      if (thumbnailUrl === null && MODELS.has(kind) && files.bytes <= MAX_BYTES) ids.push(assetId);
    }
    if (offset + PAGE >= total) break;
  }
  return ids.slice(0, MAX_ASSETS);
}

/** Shows an asset in a frame within `place` and captures it as WebP; null if it cannot be shown, or not in time. */
export async function drawThumbnail(
  place: HTMLElement,
  { namespace, name }: Target,
  asset: AssetDetail,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const [shown] = entryPointsOf(asset);
  if (shown === undefined) return null;
  const ended = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]);
  const frame = document.createElement('iframe');
  frame.title = asset.title ?? asset.id;
  place.replaceChildren(frame);
  const picture = Promise.withResolvers<Blob | null>();
  ended.addEventListener('abort', () => picture.resolve(null));
  const viewer = openViewer(
    frame,
    { kind: asset.kind, entry: shown.file, files: asset.files.map(({ path, size }) => ({ path, size })) },
    (path) => readAssetFile({ namespace, library: name }, asset, path, ended),
    {
      theme: 'light',
      code: viewerCode,
      onState: ({ status }) => {
        if (status === 'shown') viewer.takePicture();
        if (status === 'refused') picture.resolve(null);
      },
      onPicture: picture.resolve,
    },
  );
  try {
    const png = await picture.promise;
    return png && (await toWebp(png));
  } finally {
    viewer.close();
    frame.remove();
  }
}

/** Returns null in browsers that cannot encode WebP. */
async function toWebp(png: Blob): Promise<Uint8Array | null> {
  const bitmap = await createImageBitmap(png);
  const scale = Math.min(1, SIZE / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const { promise, resolve } = Promise.withResolvers<Blob | null>();
  canvas.toBlob(resolve, 'image/webp', QUALITY);
  const webp = await promise;
  return webp?.type === 'image/webp' ? new Uint8Array(await webp.arrayBuffer()) : null;
}
