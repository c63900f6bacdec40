import { imageSize } from '@bindery/formats';
import { type ImageDecoder, Unrenderable } from '@bindery/render/models';
import { unpremultipliedPixels } from './unpremultiplied.ts';

const AS_IN_THE_FILE = { colorSpaceConversion: 'none', premultiplyAlpha: 'none' } as const;

/** Decodes images with the browser. */
export const browserImages: ImageDecoder = {
  decode: async (bytes, maxPixels, shrink) => {
    const announced = imageSize(bytes);
    if (announced === undefined) throw new Unrenderable('cannot be decoded');
    if (announced.width * announced.height > maxPixels) throw new Unrenderable('too many pixels');
    const bitmap = await decodeAndShrink(bytes, shrink);
    try {
      const { width, height } = bitmap;
      const opaque = opaquePixels(bitmap);
      return { width, height, data: opaque ?? unpremultipliedPixels(bitmap) };
    } finally {
      bitmap.close();
    }
  },
};

async function decodeAndShrink(
  bytes: Uint8Array,
  shrink: { above: number; to: number } | undefined,
): Promise<ImageBitmap> {
  const bitmap = await createImageBitmap(new Blob([bytes as Uint8Array<ArrayBuffer>]), AS_IN_THE_FILE);
  const { width, height } = bitmap;
  const longest = Math.max(width, height);
  if (shrink === undefined || longest <= shrink.above) return bitmap;
  const scale = shrink.to / longest;
  const small = await createImageBitmap(bitmap, {
    ...AS_IN_THE_FILE,
    resizeWidth: Math.max(1, Math.round(width * scale)),
    resizeHeight: Math.max(1, Math.round(height * scale)),
    resizeQuality: 'high',
  });
  bitmap.close();
  return small;
}

/** Returns the pixels without using WebGL if all are opaque, as in most images; otherwise null. */
function opaquePixels(bitmap: ImageBitmap): Uint8Array | null {
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
  if (context === null) throw new Unrenderable('the browser has no canvas');
  context.drawImage(bitmap, 0, 0);
  const pixels = new Uint8Array(context.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer);
  for (let alpha = 3; alpha < pixels.length; alpha += 4) if (pixels[alpha] !== 255) return null;
  return pixels;
}
