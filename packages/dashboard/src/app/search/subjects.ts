import { DESCRIPTOR_VERSION, readStatistics } from '@bindery/contract/wire';
import { FORMATS } from '@bindery/formats';
import { regionAround } from '@bindery/formats/images/crop';
import { type DescribedSubject, findSubject } from '@bindery/sdk/browser';
import type { Description } from '../../viewer-protocol.ts';
import { readInFrame } from '../files/read-in-frame.ts';
import { similarMessages } from '../messages/search.ts';
import type { Box } from './picture-box.tsx';

/** What a file dialog offers. */
export const SUBJECTS = [
  'image/*',
  '.mtl',
  ...FORMATS.flatMap(({ family, isSource, extensions }) =>
    family === 'image' || isSource ? [] : extensions.map((extension) => `.${extension}`),
  ),
].join(',');

/** The file among others that can be searched by; MuJoCo, which reads those in XML, runs only where an asset is shown. */
export function subjectOf(files: readonly File[]) {
  return findSubject(files.filter(({ name }) => !/\.xml$/i.test(name)));
}

function likeOf(described: Description): DescribedSubject {
  if ('picture' in described) return { version: DESCRIPTOR_VERSION, picture: described.picture };
  const [, model] = readStatistics({ ...described }).descriptor?.split(':') ?? [];
  if (model === undefined) throw new Error(similarMessages.nothingVisible);
  return { version: DESCRIPTOR_VERSION, model };
}

/** Reads a model or a picture in a frame, and returns what others are compared with. */
export async function describe(
  { kind, file }: { kind: string; file: File },
  files: readonly File[],
  signal: AbortSignal,
): Promise<DescribedSubject> {
  const byName = new Map(files.map((one) => [one.name, one]));
  const place = document.createElement('div');
  place.hidden = true;
  document.body.append(place);
  try {
    const described = await readInFrame<Description>(
      place,
      file.name,
      { kind, entry: file.name, files: [...byName].map(([path, { size }]) => ({ path, size })) },
      async (path) => (byName.get(path) ?? new Blob()).arrayBuffer(),
      ({ resolve }) => ({ onDescribed: resolve }),
      { signal, late: similarMessages.late },
    );
    return likeOf(described);
  } finally {
    place.remove();
  }
}

/** Enough for the outline and the colours of a thing, in pixels. */
const LONGEST = 1024;

/** Returns a picture of what is in a box in another, and of what is around it. */
export async function cropped(file: File, { left, top, width, height }: Box): Promise<File> {
  const whole = await createImageBitmap(file);
  const box = [left * whole.width, top * whole.height, width * whole.width, height * whole.height] as const;
  const region = regionAround(whole, box);
  const scale = Math.min(1, LONGEST / Math.max(region.width, region.height));
  const canvas = new OffscreenCanvas(Math.max(1, region.width * scale), Math.max(1, region.height * scale));
  canvas
    .getContext('2d')
    ?.drawImage(
      whole,
      region.left,
      region.top,
      region.width,
      region.height,
      0,
      0,
      canvas.width,
      canvas.height,
    );
  whole.close();
  return new File([await canvas.convertToBlob()], `${file.name}.png`);
}
