import { decodePicture, type Image, Unrenderable } from '@bindery/render/models';

/**
 * Returns a picture that browsers show in place of one of another format (KTX2, DDS, EXR, HDR, TGA); undefined for
 * pictures in formats of the web.
 *
 * @throws Unrenderable for a damaged picture, and for one of more than `maxPixels`
 */
export async function webPicture(bytes: Uint8Array, maxPixels: number): Promise<Blob | undefined> {
  const picture = decodePicture(bytes, maxPixels);
  if (picture === undefined) return undefined;
  return encoded(picture);
}

/** Returns the file of a picture, a PNG unless `options` say otherwise. */
export function encoded(picture: Image, options?: ImageEncodeOptions): Promise<Blob> {
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const context = canvas.getContext('2d');
  if (context === null) throw new Unrenderable('the browser has no canvas');
  context.putImageData(imageData(picture), 0, 0);
  return canvas.convertToBlob(options);
}

/** The same pixels as browsers have them; they share their memory. */
export function imageData({ width, height, data }: Image): ImageData {
  const bytes = new Uint8ClampedArray(data.buffer as ArrayBuffer, data.byteOffset, data.length);
  return new ImageData(bytes, width, height);
}
