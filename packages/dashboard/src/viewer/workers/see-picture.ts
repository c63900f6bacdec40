import { regionAround } from '@bindery/formats/images/crop';
import { decodePicture, describeFigure, figureOf, Unrenderable } from '@bindery/render/models';
import { type Box, MAX_SHOWN_SIDE, type SeenPicture } from '../../viewer-protocol.ts';
import { imageData } from '../web-picture.ts';
import { decodeBitmap } from './browser-images.ts';

/** Enough for the outline and the colours of a thing, in pixels. */
const LONGEST = 256;

/**
 * Describes the thing in a picture, or in a box in it, and makes what a page shows of both.
 *
 * @throws Unrenderable for a damaged picture, and for one of more than `maxPixels`
 */
export async function seePicture(
  bytes: Uint8Array,
  box: Box | null,
  maxPixels: number,
): Promise<SeenPicture> {
  const decoded = decodePicture(bytes, maxPixels);
  const picture = await (decoded ? createImageBitmap(imageData(decoded)) : decodeBitmap(bytes, maxPixels));
  const whole = pixelsOf(picture, regionOf(picture, WHOLE), MAX_SHOWN_SIDE);
  const region = regionOf(picture, box ?? WHOLE);
  const part = pixelsOf(picture, region, LONGEST);
  const figure = figureOf({ width: part.width, height: part.height, data: new Uint8Array(part.data.buffer) });
  if (figure === undefined) return { whole, thing: null };
  const veil = canvas(whole.width, whole.height);
  veil.fillRect(0, 0, whole.width, whole.height);
  veil.globalCompositeOperation = 'destination-out';
  veil.scale(whole.width / picture.width, whole.height / picture.height);
  const mask = await createImageBitmap(maskOf(part, figure.places));
  veil.drawImage(mask, region.left, region.top, region.width, region.height);
  return {
    whole,
    thing: {
      descriptor: btoa(String.fromCharCode(...describeFigure(figure))),
      veil: veil.getImageData(0, 0, whole.width, whole.height),
    },
  };
}

const WHOLE: Box = { left: 0, top: 0, width: 1, height: 1 };

type Region = ReturnType<typeof regionAround>;

function regionOf(picture: ImageBitmap, { left, top, width, height }: Box): Region {
  const [across, down] = [picture.width, picture.height];
  return regionAround(picture, [left * across, top * down, width * across, height * down]);
}

/** The pixels of a region, scaled if it is larger. Chromium's bitmaps crop what has EXIF data as it lies in its file. */
function pixelsOf(picture: ImageBitmap, { left, top, width, height }: Region, longest: number): ImageData {
  const scale = Math.min(1, longest / Math.max(width, height));
  const [across, down] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  const context = canvas(across, down);
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, left, top, width, height, 0, 0, across, down);
  return context.getImageData(0, 0, across, down);
}

/** Opaque at some places, x and y of each, and transparent elsewhere. */
function maskOf({ width, height }: ImageData, places: Float32Array): ImageData {
  const mask = new ImageData(width, height);
  for (let at = 0; at < places.length; at += 2)
    mask.data[((places[at + 1] as number) * width + (places[at] as number)) * 4 + 3] = 255;
  return mask;
}

function canvas(width: number, height: number): OffscreenCanvasRenderingContext2D {
  const context = new OffscreenCanvas(width, height).getContext('2d');
  if (context === null) throw new Unrenderable('the browser has no canvas');
  return context;
}
