import type { AssetStatistics } from '@bindery/contract';
import {
  createLoadContext,
  drawModel,
  type LoadContext,
  measureModel,
  NothingVisible,
  readMesh,
  startMujoco,
  Unrenderable,
  whyNothing,
} from '@bindery/render/models';
import type { Box, Description } from '../../viewer-protocol.ts';
import { encoded } from '../web-picture.ts';
import { browserImages } from './browser-images.ts';
import type { AssetOfWorker } from './messages.ts';
import { seePicture } from './see-picture.ts';
import { filesOf, serve } from './serve.ts';

export interface ThumbnailCall {
  readonly do: 'draw' | 'describe';
  readonly kind: string;
  readonly asset: AssetOfWorker;
  /** Where the thing is in a picture that is described; null if it is the whole. */
  readonly box: Box | null;
  /** MuJoCo, if the kind needs it. */
  readonly mujoco: WebAssembly.Module | null;
}

export interface DrawnModel {
  /** A WebP file. */
  readonly webp: Uint8Array<ArrayBuffer>;
  readonly statistics: AssetStatistics;
}

export interface ThumbnailAnswers {
  readonly draw: DrawnModel;
  readonly describe: Description;
}

/** As for thumbnails that the command line draws. */
const QUALITY = 0.82;

serve((call: ThumbnailCall) => (call.do === 'draw' ? draw(call) : describe(call)));

async function draw(call: ThumbnailCall): Promise<ThumbnailAnswers['draw']> {
  const context = contextOf(call);
  try {
    const { picture, statistics = {} } = await drawModel(
      { kind: call.kind, entry: call.asset.entry },
      context,
    );
    return { webp: await toWebp(picture), statistics };
  } catch (error) {
    const nothing = error instanceof NothingVisible ? whyNothing(context.omissions.summary()) : undefined;
    throw nothing === undefined ? error : new Unrenderable(nothing);
  }
}

async function describe(call: ThumbnailCall): Promise<Description> {
  const { kind, asset, box } = call;
  const context = contextOf(call);
  if (kind === 'image')
    return seePicture(await context.files.read(asset.entry), box, asset.limits.imagePixels);
  const statistics = await measureModel({ kind, entry: asset.entry }, context);
  return { statistics: statistics ?? {} };
}

function contextOf({ asset, mujoco }: ThumbnailCall): LoadContext {
  const withMujoco: LoadContext['withMujoco'] =
    mujoco === null ? undefined : async (use) => use((await startMujoco(mujoco)).mujoco);
  return createLoadContext(filesOf(asset), { images: browserImages, readMesh, withMujoco }, asset.limits);
}

type Pixels = Awaited<ReturnType<typeof drawModel>>['picture'];

async function toWebp(picture: Pixels): Promise<Uint8Array<ArrayBuffer>> {
  const webp = await encoded(picture, { type: 'image/webp', quality: QUALITY });
  if (webp.type !== 'image/webp') throw new Unrenderable('this browser cannot write WebP');
  return new Uint8Array(await webp.arrayBuffer());
}
