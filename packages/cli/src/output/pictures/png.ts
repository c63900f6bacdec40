import { crc32, deflateSync } from 'node:zlib';
import type { Picture } from './picture.ts';

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
