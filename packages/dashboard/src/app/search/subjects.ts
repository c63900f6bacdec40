import { DESCRIPTOR_VERSION, readStatistics } from '@bindery/contract/wire';
import { FORMATS } from '@bindery/formats';
import { type DescribedSubject, findSubject } from '@bindery/sdk/browser';
import type { Description } from '../../viewer-protocol.ts';
import { readInFrame } from '../files/read-in-frame.ts';
import { similarMessages } from '../messages/search.ts';

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
