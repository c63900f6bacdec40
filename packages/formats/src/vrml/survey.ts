import { type BoundedFile, MAX_XML_BYTES, type Survey } from '../survey.ts';
import { readVrml, vrmlReferences } from './nodes.ts';

/** Reads VRML 2: pictures, and the parts that it is put together of. */
export function surveyVrml(file: BoundedFile): Survey {
  const nodes = readVrml(file.whole(4 * MAX_XML_BYTES));
  return { type: 'vrml', certain: true, references: vrmlReferences(nodes) };
}
