import viewerCode from 'virtual:viewer-code';
import type { AssetDetail } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { openViewer } from '../../open-viewer.ts';
import { readAssetFile } from '../files/asset-files.ts';
import { messages } from '../messages.ts';
import { entryPointsOf } from '../pages/asset/entry-points.ts';
import { service } from '../session.ts';
import type { Target } from './protocol.ts';

/** Assets drawn after one push, and the limits of one asset: bytes, and milliseconds. */
const MAX_ASSETS = 200;
const MAX_BYTES = 128 * 2 ** 20;
const TIMEOUT = 120_000;

/** Hits per search request, to keep each response small. */
const PAGE = 200;

const MODELS: ReadonlySet<string> = new Set(['mjcf', 'urdf', 'sdf', 'usd', 'mesh', 'splat']);

/** A model without a thumbnail, and why none is drawn of it; null if one is. */
export interface Undrawn {
  id: string;
  problem: string | null;
}

/** Returns the models without a thumbnail. */
export async function findUndrawn({ namespace, name }: Target, signal: AbortSignal): Promise<Undrawn[]> {
  const found: Undrawn[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const { hits, total } = await service.call(routes.search.searchLibrary, {
      params: { namespace, name },
      query: { limit: PAGE, offset },
      signal,
    });
    for (const { assetId, kind, thumbnailUrl, files } of hits) {
      if (thumbnailUrl !== null || !MODELS.has(kind)) continue;
      found.push({ id: assetId, problem: reasonNotToDraw(found.length, files.bytes) });
    }
    if (offset + PAGE >= total) return found;
  }
}

function reasonNotToDraw(before: number, bytes: number): string | null {
  const text = messages.push.thumbnails;
  if (bytes > MAX_BYTES) return text.tooLarge(MAX_BYTES);
  return before >= MAX_ASSETS ? text.tooMany(MAX_ASSETS) : null;
}

/**
 * Draws an asset in a frame within `place`, as the command line does. Rejects with the reason in words if it cannot be
 * drawn.
 */
export async function drawThumbnail(
  place: HTMLElement,
  { namespace, name }: Target,
  asset: AssetDetail,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const text = messages.push.thumbnails;
  const [shown] = entryPointsOf(asset);
  if (shown === undefined) throw new Error(text.noEntry);
  const late = AbortSignal.timeout(TIMEOUT);
  const ended = AbortSignal.any([signal, late]);
  const frame = document.createElement('iframe');
  frame.title = asset.title ?? asset.id;
  place.replaceChildren(frame);
  const drawn = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
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
      onThumbnail: drawn.resolve,
    },
  );
  try {
    return await drawn.promise;
  } finally {
    viewer.close();
    frame.remove();
  }
}
