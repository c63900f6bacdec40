/** Dimensions in pixels that an encoded image declares. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Reads width and height from the header of a PNG, JPEG, GIF, WebP, BMP, KTX2, DDS, EXR, Radiance HDR or TGA file, so
 * that images that would exhaust memory are never decoded; undefined if the bytes are none of these or the header is
 * truncated.
 */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    for (const read of SIZES) {
      const size = read(view);
      if (size !== undefined) return size;
    }
    return undefined;
  } catch {
    // The header is truncated.
    return undefined;
  }
}

function png(view: DataView): ImageSize | undefined {
  if (view.getUint32(0) !== 0x89504e47) return undefined;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

function gif(view: DataView): ImageSize | undefined {
  if (view.getUint32(0) !== 0x47494638) return undefined;
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function bmp(view: DataView): ImageSize | undefined {
  if (view.getUint16(0) !== 0x424d) return undefined;
  return { width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) };
}

/** https://developers.google.com/speed/webp/docs/riff_container */
function webp(view: DataView): ImageSize | undefined {
  if (view.getUint32(0) !== 0x52494646 || view.getUint32(8) !== 0x57454250) return undefined;
  switch (view.getUint32(12)) {
    case 0x56503820: // VP8, lossy
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 0x5650384c: {
      // VP8L, lossless: 14 bits each
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 0x56503858: // VP8X: 24 bits each
      return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
    default:
      return undefined;
  }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

/** The size is in the first frame header (SOF0 to SOF15, without DHT, JPG and DAC). */
function jpeg(view: DataView): ImageSize | undefined {
  if (view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; at < view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function ktx2(view: DataView): ImageSize | undefined {
  if (view.getUint32(0) !== 0xab4b5458 || view.getUint32(4) !== 0x203230bb) return undefined;
  return { width: view.getUint32(20, true), height: view.getUint32(24, true) };
}

function dds(view: DataView): ImageSize | undefined {
  if (view.getUint32(0) !== 0x44445320) return undefined;
  return { width: view.getUint32(16, true), height: view.getUint32(12, true) };
}

/** The size is that of the data window, one of the attributes that begin after eight bytes. */
function exr(view: DataView): ImageSize | undefined {
  if (view.getUint32(0) !== 0x762f3101) return undefined;
  const word = () => {
    let text = '';
    for (let byte = view.getUint8(at++); byte !== 0; byte = view.getUint8(at++))
      text += String.fromCharCode(byte);
    return text;
  };
  let at = 8;
  for (let name = word(); name !== ''; name = word()) {
    word();
    const length = view.getUint32(at, true);
    at += 4;
    if (name === 'dataWindow') {
      const [left, top, right, bottom] = [0, 4, 8, 12].map((part) => view.getInt32(at + part, true)) as [
        number,
        number,
        number,
        number,
      ];
      return { width: Math.max(0, right - left + 1), height: Math.max(0, bottom - top + 1) };
    }
    at += length;
  }
  return undefined;
}

const HDR_HEAD = 4_096;

function hdr(view: DataView): ImageSize | undefined {
  if (view.getUint16(0) !== 0x233f) return undefined;
  const head = new Uint8Array(view.buffer, view.byteOffset, Math.min(HDR_HEAD, view.byteLength));
  const size = /\n-Y (\d{1,9}) \+X (\d{1,9})\n/.exec(new TextDecoder('latin1').decode(head));
  return size === null ? undefined : { width: Number(size[2]), height: Number(size[1]) };
}

/** Types of pictures in TGA, and bits of a pixel: nothing else tells such a file from others. */
const TGA_TYPES: ReadonlySet<number> = new Set([1, 2, 3, 9, 10, 11]);
const TGA_DEPTHS: ReadonlySet<number> = new Set([8, 15, 16, 24, 32]);

function tga(view: DataView): ImageSize | undefined {
  const [hasMap, type, depth, flags] = [1, 2, 16, 17].map((at) => view.getUint8(at)) as [
    number,
    number,
    number,
    number,
  ];
  const isMapped = type === 1 || type === 9;
  if (!TGA_TYPES.has(type) || !TGA_DEPTHS.has(depth) || hasMap > 1 || flags >= 64) return undefined;
  if (isMapped && (hasMap === 0 || depth !== 8)) return undefined;
  const size = { width: view.getUint16(12, true), height: view.getUint16(14, true) };
  return size.width * size.height > 0 ? size : undefined;
}

const SIZES = [png, gif, webp, bmp, ktx2, dds, exr, hdr, jpeg, tga];

/** How pictures begin, in hexadecimal: PNG, JPEG, RIFF (WebP), GIF, BMP, TIFF, KTX, DDS, EXR, HDR; and ISO media (AVIF). */
const MAGIC =
  /^(?:89504e47|ffd8|52494646|47494638|424d|49492a00|4d4d002a|ab4b5458|44445320|762f3101|233f|.{8}66747970)/;

/** Whether a file begins like a picture in any format, whatever its extension says. */
export function isPicture(head: Uint8Array): boolean {
  if (imageSize(head) !== undefined) return true;
  return MAGIC.test(Array.from(head.subarray(0, 12), (byte) => byte.toString(16).padStart(2, '0')).join(''));
}
