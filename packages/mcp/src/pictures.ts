import { BOUNDS } from './arguments.ts';

export interface Picture {
  mimeType: string;
  bytes: Uint8Array;
}

/** Something that may have a picture of at most `maxBytes` bytes. */
export interface HasPicture {
  picture(maxBytes: number): Promise<Uint8Array | null>;
}

/** Returns the pictures of the first things that have one, within the bounds of an answer; null for the others. */
export async function picturesOf(pictured: readonly HasPicture[]): Promise<(Picture | null)[]> {
  const { perAnswer, bytes: each, bytesPerAnswer } = BOUNDS.pictures;
  const read = await Promise.all(
    pictured.slice(0, perAnswer).map(async (one) => detectPicture(await one.picture(each))),
  );
  let room: number = bytesPerAnswer;
  return pictured.map((_, at) => {
    const picture = read[at] ?? null;
    if (picture === null || picture.bytes.byteLength > room) return null;
    room -= picture.bytes.byteLength;
    return picture;
  });
}

/** Detects the format from the bytes themselves; other formats are not shown. */
function detectPicture(bytes: Uint8Array | null): Picture | null {
  if (bytes === null) return null;
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  const mimeType = FORMATS.find(([pattern]) => pattern.test(head))?.[1];
  return mimeType === undefined ? null : { mimeType, bytes };
}

const FORMATS: readonly (readonly [RegExp, string])[] = [
  [/^RIFF.{4}WEBP/s, 'image/webp'],
  [/^\x89PNG\r\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
];
