import sharp from 'sharp';
import type { Picture } from './picture.ts';

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
