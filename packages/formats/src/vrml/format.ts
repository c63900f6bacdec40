import type { Format } from '../format.ts';
import { type BoundedFile, MAX_XML_BYTES, type Survey } from '../survey.ts';
import { readVrml, vrmlReferences } from './nodes.ts';

export const vrml = {
  name: 'vrml',
  preference: 100,
  family: 'mesh',
  extensions: ['wrl'],
  survey: surveyVrml,
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;

/** Reads VRML 2: pictures, and the parts that it is put together of. */
function surveyVrml(file: BoundedFile): Survey {
  const nodes = readVrml(file.whole(4 * MAX_XML_BYTES));
  return { type: 'vrml', certain: true, references: vrmlReferences(nodes) };
}
