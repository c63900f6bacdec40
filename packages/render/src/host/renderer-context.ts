import { createLoadContext, type LoadContext } from '@bindery/formats/context';
import { type Crop, regionAround } from '@bindery/formats/images/crop';
import { decodePicture } from '@bindery/formats/images/decode';
import type { Picture } from '@bindery/formats/images/pixels';
import type { ImageDecoder } from '@bindery/formats/images/textures';
import { readMesh } from '@bindery/formats/read';
import type { FileSource } from '@bindery/formats/reading/asset-files';
import { Unrenderable } from '@bindery/formats/reading/errors';
import type { Budget, RenderLimits } from '@bindery/formats/reading/limits';
import { THUMBNAIL_SIZE } from '@bindery/formats/reading/limits';
import sharp, { type Region } from 'sharp';
import { withMujoco } from './mujoco.ts';
import { readStepWithOcct } from './occt.ts';

/** Decodes PNG, JPEG, WebP, GIF, TIFF and AVIF with libvips. */
const sharpImages: ImageDecoder = {
  decode: async (bytes, maxPixels, shrink) => {
    const source = sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' });
    const { width, height } = await source.metadata();
    const isLarge = shrink !== undefined && Math.max(width, height) > shrink.above;
    const fitted = isLarge ? source.resize({ width: shrink.to, height: shrink.to, fit: 'inside' }) : source;
    const { data, info } = await fitted
      .toColourspace('srgb')
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, data: new Uint8Array(data) };
  },
};

/**
 * Decodes a picture, or a box in it and what is around that, upright by its EXIF data and scaled to fit the thumbnail;
 * of an animation, the first frame.
 */
export async function loadImage(bytes: Uint8Array, budget: Budget, crop?: Crop): Promise<Picture> {
  try {
    const { imagePixels } = budget.limits;
    const decoded = decodePicture(bytes, imagePixels);
    const source =
      decoded === undefined
        ? sharp(bytes, { limitInputPixels: imagePixels, failOn: 'error' }).rotate()
        : sharp(decoded.data, { raw: { width: decoded.width, height: decoded.height, channels: 4 } });
    const shown = crop ? source.extract(regionIn((await source.metadata()).autoOrient, crop)) : source;
    const { data, info } = await shown
      .resize({ width: THUMBNAIL_SIZE, height: THUMBNAIL_SIZE, fit: 'inside' })
      .toColourspace('srgb')
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, data: new Uint8Array(data) };
  } catch (error) {
    throw error instanceof OutsidePicture ? error : new Unrenderable('the image cannot be read');
  }
}

class OutsidePicture extends Unrenderable {}

function regionIn(picture: { width: number; height: number }, crop: Crop): Region {
  const [x, y] = crop;
  if (x >= picture.width || y >= picture.height)
    throw new OutsidePicture(
      `it has ${picture.width} × ${picture.height} pixels, so nothing is at ${x},${y}`,
    );
  return regionAround(picture, crop);
}

/** Alpha is lossless: quantised alpha would save an eighth of the bytes, but shows bands in soft shadows. */
const QUALITY = { quality: 82, alphaQuality: 100, effort: 3 } as const;

/** Encodes a picture as WebP. The same picture gives the same bytes. */
export async function encodeWebp({ width, height, data }: Picture): Promise<Uint8Array> {
  return new Uint8Array(
    await sharp(data, { raw: { width, height, channels: 4 } })
      .webp(QUALITY)
      .toBuffer(),
  );
}

/**
 * Encodes pictures of one size as an animated WebP that begins again at its end, each shown for `delay` milliseconds.
 * The same pictures give the same bytes. Undefined without pictures.
 */
export async function encodeAnimation(
  pictures: readonly Picture[],
  { delay, ...quality }: { quality: number; alphaQuality: number; delay: number },
): Promise<Uint8Array | undefined> {
  const [first] = pictures;
  if (first === undefined) return undefined;
  const { width, height } = first;
  const joined = Buffer.concat(pictures.map(({ data }) => data));
  const raw = { width, height: height * pictures.length, channels: 4, pageHeight: height } as const;
  const animated = sharp(joined, { raw, limitInputPixels: false }).webp({
    ...quality,
    effort: 3,
    loop: 0,
    delay: pictures.map(() => delay),
  });
  return new Uint8Array(await animated.toBuffer());
}

/** Encodes a picture as a square PNG, scaled to fit into it. */
export async function encodeIcon({ width, height, data }: Picture, side: number): Promise<Uint8Array> {
  const source = sharp(data, { raw: { width, height, channels: 4 } });
  const background = { r: 0, g: 0, b: 0, alpha: 0 };
  return new Uint8Array(await source.resize(side, side, { fit: 'contain', background }).png().toBuffer());
}

/** The context of loaders outside browsers. */
export function createRendererContext(source: FileSource, limits?: Partial<RenderLimits>): LoadContext {
  return createLoadContext(
    source,
    { images: sharpImages, readMesh, readStep: readStepWithOcct, withMujoco },
    limits,
  );
}
