import { asPlainText } from '../files/text.ts';
import type { BoundedFile, Survey } from '../survey.ts';
import { STL_FACET_BYTES, STL_HEADER_BYTES, stlLayout } from './layout.ts';

const HEAD = 512;

/** Recognises STL: a binary file has the facets that it announces, and a text file begins with `solid`. */
export function surveyStl(file: BoundedFile): Survey {
  const head = asPlainText(file.head(HEAD));
  const layout = stlLayout(head, file.size);
  const isText = /^\s*solid/i.test(new TextDecoder('latin1').decode(head));
  const certain = isText || (layout.binary && hasFacets(head, layout.facets, file.size));
  return { type: 'stl', certain, references: [] };
}

/** Some programs write more behind the facets. Numbers next to zero are parts of something else. */
function hasFacets(head: Uint8Array, facets: number, size: number): boolean {
  const announced = STL_HEADER_BYTES + facets * STL_FACET_BYTES;
  if (facets === 0 || announced > size || size > 2 * announced) return false;
  const view = new DataView(head.buffer, head.byteOffset + STL_HEADER_BYTES);
  return Array.from({ length: 12 }, (_, at) => Math.abs(view.getFloat32(at * 4, true))).every(
    (value) => value === 0 || (value > 1e-30 && value < Infinity),
  );
}
