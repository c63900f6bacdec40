import type { Reference } from '../files/resolve.ts';
import { asPlainText } from '../files/text.ts';
import type { Format } from '../format.ts';
import { type BoundedFile, MAX_XML_BYTES, type Survey } from '../survey.ts';
import { isBinaryFbx } from './binary.ts';
import { readFbx, texturesOf } from './document.ts';

export const fbx = {
  name: 'fbx',
  preference: 80,
  family: 'mesh',
  extensions: ['fbx'],
  spoken: ['fbx'],
  isMetric: true,
  survey: surveyFbx,
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;

const HEAD = 64 * 1024;

/** Reads FBX. Of a binary file only the records of textures and their surroundings are read, not the meshes. */
function surveyFbx(file: BoundedFile): Survey {
  const isBinary = isBinaryFbx(file.head(HEAD));
  const text = isBinary ? undefined : asPlainText(file.whole(4 * MAX_XML_BYTES));
  const document = readFbx({
    size: text?.length ?? file.size,
    part: (start, length) => text?.subarray(start, start + length) ?? file.part(start, length),
  });
  const references = texturesOf(document).map((name): Reference => ({ text: name, role: 'texture' }));
  return { type: 'fbx', certain: true, references };
}
