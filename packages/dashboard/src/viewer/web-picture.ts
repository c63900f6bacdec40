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
  return encoded(picture);
}

/** Returns the file of a picture, a PNG unless `options` say otherwise. */
export function encoded(
  { width, height, data }: NonNullable<ReturnType<typeof decodePicture>>,
  options?: ImageEncodeOptions,
): Promise<Blob> {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (context === null) throw new Unrenderable('the browser has no canvas');
  context.putImageData(new ImageData(new Uint8ClampedArray(data), width, height), 0, 0);
  return canvas.convertToBlob(options);
}
