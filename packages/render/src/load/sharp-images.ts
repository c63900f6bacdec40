import sharp from 'sharp';
import type { ImageDecoder } from './textures.ts';

/** Decodes PNG, JPEG, WebP, GIF, TIFF and AVIF with libvips. */
export const sharpImages: ImageDecoder = {
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
