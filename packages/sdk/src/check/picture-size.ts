/** Returns the width and height of a PNG or JPEG from its first bytes; null for anything else. */
export function pictureSize(head: Uint8Array): { width: number; height: number } | null {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (head.byteLength >= 24 && view.getUint32(0) === 0x89504e47) {
    return { width: view.getUint32(16), height: view.getUint32(20) };
  }
  return head.byteLength >= 4 && view.getUint16(0) === 0xffd8 ? jpegSize(view) : null;
}

/** How pictures begin, in hexadecimal: PNG, JPEG, RIFF (WebP), GIF, BMP, TIFF, KTX, DDS; and ISO media (AVIF). */
const MAGIC = /^(?:89504e47|ffd8|52494646|47494638|424d|49492a00|4d4d002a|ab4b5458|44445320|.{8}66747970)/;

/** Whether a file begins like a picture in any format, whatever its extension says. */
export function isPicture(head: Uint8Array): boolean {
  return MAGIC.test(Array.from(head.subarray(0, 12), (byte) => byte.toString(16).padStart(2, '0')).join(''));
}

/** Reads the first frame header (ITU-T T.81, B.2.2); returns null if it is not among the first bytes. */
function jpegSize(view: DataView): { width: number; height: number } | null {
  let at = 2;
  while (at + 9 < view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return null;
}
