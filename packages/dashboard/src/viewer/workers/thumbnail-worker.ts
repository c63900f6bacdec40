import {
  createLoadContext,
  drawModel,
  NothingVisible,
  readModel,
  Unrenderable,
  whyNothing,
} from '@bindery/render/models';
import { browserImages } from './browser-images.ts';
import type { AssetOfWorker } from './messages.ts';
import { filesOf, serve } from './serve.ts';
import { startMujoco } from './start-mujoco.ts';

export interface ThumbnailCall {
  readonly do: 'draw';
  readonly kind: string;
  readonly asset: AssetOfWorker;
  /** MuJoCo, if the kind needs it. */
  readonly mujoco: WebAssembly.Module | null;
}

export interface ThumbnailAnswers {
  /** A WebP file. */
  readonly draw: Uint8Array<ArrayBuffer>;
}

/** As for thumbnails that the command line draws. */
const QUALITY = 0.82;

serve(async ({ kind, asset, mujoco }: ThumbnailCall): Promise<ThumbnailAnswers['draw']> => {
  const context = createLoadContext(filesOf(asset), browserImages, asset.limits);
  try {
    const { picture } = await drawModel({ kind, entry: asset.entry }, context, async (entry) => {
      if (mujoco === null) throw new Unrenderable('MuJoCo is needed to draw it');
      return readModel(await startMujoco(mujoco), entry, context);
    });
    return await toWebp(picture);
  } catch (error) {
    const nothing = error instanceof NothingVisible ? whyNothing(context.omissions.summary()) : undefined;
    throw nothing === undefined ? error : new Unrenderable(nothing);
  }
});

async function toWebp({
  width,
  height,
  data,
}: {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}): Promise<Uint8Array<ArrayBuffer>> {
  const canvas = new OffscreenCanvas(width, height);
  const pixels = new ImageData(new Uint8ClampedArray(data), width, height);
  canvas.getContext('2d')?.putImageData(pixels, 0, 0);
  const webp = await canvas.convertToBlob({ type: 'image/webp', quality: QUALITY });
  if (webp.type !== 'image/webp') throw new Unrenderable('this browser cannot write WebP');
  return new Uint8Array(await webp.arrayBuffer());
}
