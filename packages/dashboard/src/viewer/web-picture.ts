import { decodePicture, Unrenderable } from '@bindery/render/models';

/**
 * Returns a picture that browsers show in place of one of another format (KTX2, DDS, EXR, HDR, TGA); undefined for
 * pictures in formats of the web.
 *
 * @throws Unrenderable for a damaged picture, and for one of more than `maxPixels`
 */
export async function webPicture(bytes: Uint8Array, maxPixels: number): Promise<Blob | undefined> {
  const picture = decodePicture(bytes, maxPixels);
  if (picture === undefined) return undefined;
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const context = canvas.getContext('2d');
  if (context === null) throw new Unrenderable('the browser has no canvas');
  const pixels = new Uint8ClampedArray(picture.data);
  context.putImageData(new ImageData(pixels, picture.width, picture.height), 0, 0);
  return canvas.convertToBlob();
}
