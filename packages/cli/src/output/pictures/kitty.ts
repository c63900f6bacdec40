import { deflateSync } from 'node:zlib';
import { BOX, type Picture } from './picture.ts';

/** Characters of base64 in one escape sequence, the most that the protocol allows. */
const CHUNK = 4096;

/**
 * Encodes a picture for kitty's graphics protocol: RGBA, deflated. Gives one side in cells and lets the terminal
 * compute the other, so that no picture is stretched. The terminal's responses are suppressed, since nobody reads them.
 */
export function encodeKitty({ width, height, pixels }: Picture): string {
  const base64 = deflateSync(pixels).toString('base64');
  const chunks = Array.from({ length: Math.ceil(base64.length / CHUNK) }, (_, at) =>
    base64.slice(at * CHUNK, (at + 1) * CHUNK),
  );
  const side = width < height ? `r=${BOX.rows}` : `c=${BOX.columns}`;
  const first = `a=T,f=32,o=z,s=${width},v=${height},${side},q=2,`;
  return chunks
    .map(
      (chunk, at) => `\u001b_G${at === 0 ? first : ''}m=${at < chunks.length - 1 ? 1 : 0};${chunk}\u001b\\`,
    )
    .join('');
}
