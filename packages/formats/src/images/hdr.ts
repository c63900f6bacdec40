import type { Image } from '../model/scene.ts';
import { Unrenderable } from '../reading/errors.ts';
import { announcedSize, toneMapped } from './pixels.ts';

const HEAD = 4_096;
const SIZE = /\n-Y \d+ \+X \d+\n/;
/** Rows of these widths can be packed by channel. */
const PACKED = { from: 8, to: 0x7fff };

export function isHdr(bytes: Uint8Array): boolean {
  return /^#\?(?:RADIANCE|RGBE)/.test(new TextDecoder('latin1').decode(bytes.subarray(0, 10)));
}

/** Decodes a picture of Radiance: three mantissas and an exponent for each pixel. */
export function decodeHdr(bytes: Uint8Array, maxPixels: number): Image {
  const { width, height } = announcedSize(bytes, maxPixels);
  const head = SIZE.exec(new TextDecoder('latin1').decode(bytes.subarray(0, HEAD)));
  if (head === null) throw new Unrenderable(CUT);
  const pixels = new Uint8Array(width * height * 4);
  let at = head.index + head[0].length;
  for (let row = 0; row < height; row++) {
    const out = pixels.subarray(row * width * 4, (row + 1) * width * 4);
    const isPacked =
      width >= PACKED.from &&
      width <= PACKED.to &&
      bytes[at] === 2 &&
      bytes[at + 1] === 2 &&
      (((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) === width;
    if (isPacked) at = unpackRow(bytes, at + 4, out);
    else {
      if (at + out.length > bytes.length) throw new Unrenderable(CUT);
      out.set(bytes.subarray(at, at + out.length));
      at += out.length;
    }
  }
  return toneMapped({ width, height }, (pixel, channel) => {
    const exponent = pixels[pixel * 4 + 3] as number;
    return exponent === 0 ? 0 : (pixels[pixel * 4 + channel] as number) * 2 ** (exponent - 136);
  });
}

const CUT = 'the HDR picture is cut off';

/** Reads the four channels of a row, each in runs; returns where the row ends. */
function unpackRow(bytes: Uint8Array, start: number, out: Uint8Array): number {
  const width = out.length / 4;
  let at = start;
  for (let channel = 0; channel < 4; channel++) {
    for (let x = 0; x < width; ) {
      const control = bytes[at++] ?? 0;
      const length = control > 128 ? control - 128 : control;
      if (length === 0 || x + length > width || at >= bytes.length) throw new Unrenderable(CUT);
      for (let k = 0; k < length; k++) out[(x + k) * 4 + channel] = bytes[control > 128 ? at : at + k] ?? 0;
      at += control > 128 ? 1 : length;
      x += length;
    }
  }
  return at;
}
