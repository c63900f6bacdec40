import type { LoadContext } from '@bindery/formats/context';
import { extensionOf } from '@bindery/formats/files/paths';
import type { Crop } from '@bindery/formats/images/crop';
import { withTurntable } from '@bindery/formats/images/turntable';
import type { Scene } from '@bindery/formats/model/scene';
import { type FileSource, toMessageText } from '@bindery/formats/reading/asset-files';
import { NothingVisible, Unrenderable } from '@bindery/formats/reading/errors';
import { Budget, type RenderLimits } from '@bindery/formats/reading/limits';
import { type Omissions, whyNothing } from '@bindery/formats/reading/omissions';
import { formatOf } from '@bindery/formats/registry';
import { describePicture } from './describe/describe.ts';
import { type DrawnModel, drawModel, measureModel } from './draw-model.ts';
import { createRendererContext, encodeWebp, loadImage } from './host/renderer-context.ts';
import type { ModelStatistics } from './statistics.ts';
import { drawTurntable } from './turntable.ts';

/** What to draw: an asset's viewer tokens and its files. */
export interface ThumbnailRequest {
  readonly kind: string;
  readonly format?: string | undefined;
  /** The file a viewer opens. */
  readonly entry: string;
  /** Of a model that is measured, what is meant of it. */
  readonly part?: string | undefined;
  /** Where the thing is in a picture that is described. */
  readonly crop?: Crop | undefined;
  readonly files: FileSource;
  readonly limits?: Partial<RenderLimits> | undefined;
}

/**
 * A picture, with what is missing from it and what the model consists of, or why there is none. `transient` warnings
 * are about time, memory or the machine: a retry may succeed.
 */
export type Thumbnail =
  | { readonly webp: Uint8Array; readonly omissions?: Omissions; readonly statistics?: ModelStatistics }
  | { readonly warning: string; readonly transient?: boolean };

/** What an asset consists of, if it can be measured; or why it could not be read. */
export type Measurement =
  | { readonly statistics?: ModelStatistics }
  | { readonly warning: string; readonly transient?: boolean };

/**
 * Draws the thumbnail of an asset as WebP, 640 pixels on its longer side, transparent around the model, with a turntable
 * of what is not too large; returns a warning in words if it cannot be drawn. Never rejects. The same bytes in give the same bytes out.
 */
export async function renderThumbnail(request: ThumbnailRequest): Promise<Thumbnail> {
  const context = createRendererContext(request.files, request.limits);
  try {
    const { picture, statistics, scene } = await drawAsset(request, context);
    const still = await encodeWebp(picture);
    const turntable = scene && (await turntableOf(scene));
    const webp = turntable ? withTurntable(still, turntable) : still;
    const omissions = context.omissions.summary();
    return { webp, ...(omissions && { omissions }), ...(statistics && { statistics }) };
  } catch (error) {
    const nothing = error instanceof NothingVisible ? whyNothing(context.omissions.summary()) : undefined;
    return { warning: nothing ?? warningOf(error) };
  }
}

/** Undefined where the scene cannot be turned, such as about a middle that is no number; it has its picture all the same. */
async function turntableOf(scene: Scene): Promise<Uint8Array | undefined> {
  try {
    return await drawTurntable(scene);
  } catch (error) {
    if (error instanceof NothingVisible || error instanceof Unrenderable) return undefined;
    throw error;
  }
}

/**
 * Measures an asset without drawing it; an image has no statistics. Returns a warning in words if it cannot be read.
 * Never rejects. The same bytes in give the same numbers out.
 */
export async function measureAsset(request: ThumbnailRequest): Promise<Measurement> {
  const context = createRendererContext(request.files, request.limits);
  try {
    if (request.kind === 'image') return {};
    refuseUnreadable(request, context);
    const statistics = await measureModel(request, context);
    return statistics === undefined ? {} : { statistics };
  } catch (error) {
    return { warning: warningOf(error) };
  }
}

/** What a picture shows, in Base64; or why that cannot be said. */
export type DescribedPicture = { readonly descriptor: string } | { readonly warning: string };

/** Describes what the picture shows that a request names. Never rejects. */
export async function describeImage({ entry, files, crop }: ThumbnailRequest): Promise<DescribedPicture> {
  try {
    const descriptor = describePicture(await loadImage(await files.read(entry), new Budget(), crop));
    if (descriptor === undefined) return { warning: 'nothing stands out from its background' };
    return { descriptor: Buffer.from(descriptor).toString('base64') };
  } catch (error) {
    return { warning: warningOf(error) };
  }
}

async function drawAsset(request: ThumbnailRequest, context: LoadContext): Promise<DrawnModel> {
  if (request.kind === 'image') {
    return { picture: await loadImage(await context.files.read(request.entry), context.budget) };
  }
  refuseUnreadable(request, context);
  return drawModel(request, context);
}

function refuseUnreadable({ kind, entry }: ThumbnailRequest, { files }: LoadContext): void {
  if (kind !== 'file' || formatOf(extensionOf(entry))?.isSource) return;
  throw new Unrenderable(
    [...files.paths].some((path) => extensionOf(path) === 'xacro')
      ? 'the asset has only macros, for other robots to use'
      : 'no thumbnails for assets of kind file',
  );
}

function warningOf(error: unknown): string {
  if (error instanceof Unrenderable) return error.message;
  return `cannot be drawn: ${toMessageText(error instanceof Error ? error.message : String(error))}`;
}
