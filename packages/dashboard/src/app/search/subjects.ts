import { DESCRIPTOR_VERSION, decodeDescriptor, readStatistics } from '@bindery/contract/wire';
import { FORMATS } from '@bindery/formats';
import { type DescribedSubject, findSubject } from '@bindery/sdk/browser';
import { type Box, type Description, MAX_SHOWN_SIDE, type SeenPicture } from '../../viewer-protocol.ts';
import { readInFrame } from '../files/read-in-frame.ts';
import { similarMessages } from '../messages/search.ts';

/** What a file dialog offers. */
export const SUBJECTS = [
  'image/*',
  '.mtl',
  ...FORMATS.flatMap(({ isSource, extensions }) =>
    isSource ? [] : extensions.map((extension) => `.${extension}`),
  ),
].join(',');

/** The file among others that can be searched by; MuJoCo, which reads those in XML, runs only where an asset is shown. */
export function subjectOf(files: readonly File[]) {
  return findSubject(files.filter(({ name }) => !/\.xml$/i.test(name)));
}

/** What others are compared with, and what is shown of a picture. */
export interface ReadSubject {
  /** Null for a picture in which nothing stands out. */
  like: DescribedSubject | null;
  picture: ShownPicture | null;
}

export interface ShownPicture {
  whole: ImageData;
  /** Covers what was not taken for the thing; null until that is known. */
  veil: ImageData | null;
}

function readSubject(described: Description): ReadSubject {
  if ('whole' in described) return readPicture(described);
  const [, model] = readStatistics({ ...described }).descriptor?.split(':') ?? [];
  if (model === undefined) throw new Error(similarMessages.nothingVisible);
  return { like: { version: DESCRIPTOR_VERSION, model }, picture: null };
}

function readPicture({ whole, thing }: SeenPicture): ReadSubject {
  const picture = { whole: bounded(whole), veil: thing && bounded(thing.veil) };
  if (thing === null) return { like: null, picture };
  if (decodeDescriptor(thing.descriptor, 'picture') === null) throw new Error(similarMessages.unreadable);
  return { like: { version: DESCRIPTOR_VERSION, picture: thing.descriptor }, picture };
}

function bounded(pixels: unknown): ImageData {
  if (pixels instanceof ImageData && Math.max(pixels.width, pixels.height) <= MAX_SHOWN_SIDE) return pixels;
  throw new Error(similarMessages.unreadable);
}

/** Reads a model, or a picture or what is in a box in it, in a frame. */
export async function describe(
  { kind, file, box }: { kind: string; file: File; box: Box | null },
  files: readonly File[],
  signal: AbortSignal,
): Promise<ReadSubject> {
  const byName = new Map(files.map((one) => [one.name, one]));
  const place = document.createElement('div');
  place.hidden = true;
  document.body.append(place);
  try {
    const described = await readInFrame<Description>(
      place,
      file.name,
      { kind, entry: file.name, files: [...byName].map(([path, { size }]) => ({ path, size })), box },
      async (path) => (byName.get(path) ?? new Blob()).arrayBuffer(),
      ({ resolve }) => ({ onDescribed: resolve }),
      { signal, late: similarMessages.late },
    );
    return readSubject(described);
  } finally {
    place.remove();
  }
}
