import { crc32, deflateSync } from 'node:zlib';

/** A decoded picture: RGBA, eight bits each, row by row from the top left, alpha not premultiplied. */
export interface Picture {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** The box of terminal cells for a picture. Cells are about twice as high as wide, so it is about square. */
export const BOX = { columns: 16, rows: 8 } as const;

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

/** Encodes a picture for iTerm2's inline images protocol: a PNG of the pixels, as large as fits into the box. */
export function encodeIterm(picture: Picture): string {
  const png = encodePng(picture);
  const options = `inline=1;size=${png.length};width=${BOX.columns};height=${BOX.rows};preserveAspectRatio=1`;
  return `\u001b]1337;File=${options}:${png.toString('base64')}\u0007`;
}

const SIGNATURE = Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1');
const BYTES_PER_PIXEL = 4;

/** Eight bits, RGBA; compression method, filter method and interlacing are 0. */
const FORMAT = [8, 6, 0, 0, 0];

/** Encodes the pixels as a PNG: https://www.w3.org/TR/png-3/#5DataRep */
export function encodePng({ width, height, pixels }: Picture): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set(FORMAT, 8);
  const stride = width * BYTES_PER_PIXEL;
  // Each row begins with its filter type, which is 0: none.
  const rows = Buffer.alloc((stride + 1) * height);
  for (let row = 0; row < height; row++) {
    rows.set(pixels.subarray(row * stride, (row + 1) * stride), row * (stride + 1) + 1);
  }
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(named, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}
