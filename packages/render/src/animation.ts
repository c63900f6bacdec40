import type { Picture } from '@bindery/formats/images/srgb';
import sharp from 'sharp';

/** Milliseconds for which one picture is shown. */
const DELAY = 100;

/** Encodes pictures of one size as an animated WebP that begins again at its end. The same pictures give the same bytes. */
export async function encodeAnimation(pictures: readonly Picture[]): Promise<Uint8Array | undefined> {
  const [first] = pictures;
  if (first === undefined) return undefined;
  const { width, height } = first;
  const joined = Buffer.concat(pictures.map(({ data }) => data));
  const raw = { width, height: height * pictures.length, channels: 4, pageHeight: height } as const;
  const animated = sharp(joined, { raw, limitInputPixels: false }).webp({
    quality: 60,
    alphaQuality: 60,
    effort: 3,
    loop: 0,
    delay: pictures.map(() => DELAY),
  });
  return new Uint8Array(await animated.toBuffer());
}
