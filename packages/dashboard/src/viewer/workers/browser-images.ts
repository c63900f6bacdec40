import { imageSize } from '@bindery/formats';
import { type ImageDecoder, Unrenderable } from '@bindery/render/models';

const AS_IN_THE_FILE = { colorSpaceConversion: 'none', premultiplyAlpha: 'none' } as const;

/** Decodes images with the browser. */
export const browserImages: ImageDecoder = {
  decode: async (bytes, maxPixels, shrink) => {
    const bitmap = await shrunk(await decodeBitmap(bytes, maxPixels), shrink);
    try {
      const { width, height } = bitmap;
      const opaque = opaquePixels(bitmap);
      return { width, height, data: opaque ?? unpremultipliedPixels(bitmap) };
    } finally {
      bitmap.close();
    }
  },
};

/** Decodes an image in a format of the web. @throws Unrenderable for one of more than `maxPixels` */
export async function decodeBitmap(bytes: Uint8Array, maxPixels: number): Promise<ImageBitmap> {
  const announced = imageSize(bytes);
  if (announced === undefined) throw new Unrenderable('cannot be decoded');
  if (announced.width * announced.height > maxPixels) throw new Unrenderable('too many pixels');
  return createImageBitmap(new Blob([bytes as Uint8Array<ArrayBuffer>]), AS_IN_THE_FILE);
}

async function shrunk(
  bitmap: ImageBitmap,
  shrink: { above: number; to: number } | undefined,
): Promise<ImageBitmap> {
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

let context: WebGL2RenderingContext | undefined;

/**
 * Returns the pixels of an image, four bytes each, as stored in its file. A 2D canvas premultiplies colours by alpha,
 * which loses those of transparent pixels; models without transparency show them.
 *
 * @param bitmap created with `premultiplyAlpha: 'none'`
 */
export function unpremultipliedPixels(bitmap: ImageBitmap): Uint8Array {
  context ??= new OffscreenCanvas(1, 1).getContext('webgl2') ?? undefined;
  if (context === undefined) throw new Unrenderable('the browser has no WebGL');
  const gl = context;
  const { width, height } = bitmap;
  const [texture, framebuffer] = [gl.createTexture(), gl.createFramebuffer()];
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
  gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  const pixels = new Uint8Array(width * height * 4);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  gl.deleteFramebuffer(framebuffer);
  gl.deleteTexture(texture);
  if (gl.getError() !== gl.NO_ERROR) throw new Unrenderable('the graphics take no picture of this size');
  return pixels;
}
