import sharp from 'sharp';
import type { Picture } from './picture.ts';

const QUALITY = { quality: 82, alphaQuality: 90, effort: 3 } as const;

/** The picture as WebP. The same picture gives the same bytes. */
export async function encodeWebp({ width, height, data }: Picture): Promise<Uint8Array> {
  return new Uint8Array(
    await sharp(data, { raw: { width, height, channels: 4 } })
      .webp(QUALITY)
      .toBuffer(),
  );
}
