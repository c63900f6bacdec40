import { BOX, type Picture } from './picture.ts';
import { encodePng } from './png.ts';

/** Encodes a picture for iTerm2's inline images protocol: a PNG of the pixels, as large as fits into the box. */
export function encodeIterm(picture: Picture): string {
  const png = encodePng(picture);
  const options = `inline=1;size=${png.length};width=${BOX.columns};height=${BOX.rows};preserveAspectRatio=1`;
  return `\u001b]1337;File=${options}:${png.toString('base64')}\u0007`;
}
