import { STL_FACET_BYTES, STL_HEADER_BYTES, stlLayout } from '@bindery/formats';
import { Unrenderable } from '../errors.ts';
import { gather, withCreaseNormals } from '../geometry/normals.ts';
import { distinctTriples } from '../geometry/triples.ts';
import type { Budget } from '../limits.ts';
import type { Geometry } from '../scene.ts';

/** Loads binary or ASCII STL, told apart by length and first bytes. */
export function loadStl(bytes: Uint8Array, budget: Budget): Geometry {
  const layout = stlLayout(bytes, bytes.byteLength);
  const positions = layout.binary ? readBinary(bytes, layout.facets, budget) : readAscii(bytes, budget);
  if (positions.length === 0) throw new Unrenderable('the STL file has no triangles');
  const { of, firsts } = distinctTriples(new Uint32Array(positions.buffer));
  return withCreaseNormals(gather(positions, firsts, 3), of);
}

function readBinary(bytes: Uint8Array, facets: number, budget: Budget): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (STL_HEADER_BYTES + facets * STL_FACET_BYTES > bytes.byteLength) {
    throw new Unrenderable(`the STL file announces ${facets} triangles and ends before them`);
  }
  budget.spend('triangles', facets);
  budget.spend('vertices', facets * 3);
  const positions = new Float32Array(facets * 9);
  for (let facet = 0; facet < facets; facet++) {
    const start = STL_HEADER_BYTES + facet * STL_FACET_BYTES + 12;
    for (let k = 0; k < 9; k++) positions[facet * 9 + k] = view.getFloat32(start + k * 4, true);
  }
  return positions;
}

function readAscii(bytes: Uint8Array, budget: Budget): Float32Array {
  const text = new TextDecoder('latin1').decode(bytes);
  const values: number[] = [];
  for (const [, x, y, z] of text.matchAll(/vertex\s+(\S+)\s+(\S+)\s+(\S+)/gi)) {
    values.push(Number(x), Number(y), Number(z));
    if (values.length % 9 === 0) {
      budget.spend('triangles', 1);
      budget.spend('vertices', 3);
    }
  }
  return Float32Array.from(values.slice(0, values.length - (values.length % 9)));
}
