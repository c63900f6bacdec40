import { Unrenderable } from '../errors.ts';
import { gather, withCreaseNormals } from '../geometry/normals.ts';
import { distinctTriples } from '../geometry/triples.ts';
import type { Budget } from '../limits.ts';
import type { Geometry } from '../scene.ts';

const HEADER_BYTES = 84;
const FACET_BYTES = 50;

/** Loads binary or ASCII STL, told apart by length and first bytes. */
export function loadStl(bytes: Uint8Array, budget: Budget): Geometry {
  const positions = isBinary(bytes) ? readBinary(bytes, budget) : readAscii(bytes, budget);
  if (positions.length === 0) throw new Unrenderable('the STL file has no triangles');
  const { of, firsts } = distinctTriples(new Uint32Array(positions.buffer));
  return withCreaseNormals(gather(positions, firsts, 3), of);
}

function isBinary(bytes: Uint8Array): boolean {
  if (bytes.byteLength < HEADER_BYTES) return false;
  const facets = new DataView(bytes.buffer, bytes.byteOffset).getUint32(80, true);
  if (bytes.byteLength === HEADER_BYTES + facets * FACET_BYTES) return true;
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 512)).trimStart();
  return !start.toLowerCase().startsWith('solid') || bytes.subarray(0, 512).includes(0);
}

function readBinary(bytes: Uint8Array, budget: Budget): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const facets = view.getUint32(80, true);
  if (HEADER_BYTES + facets * FACET_BYTES > bytes.byteLength) {
    throw new Unrenderable(`the STL file announces ${facets} triangles and ends before them`);
  }
  budget.spend('triangles', facets);
  budget.spend('vertices', facets * 3);
  const positions = new Float32Array(facets * 9);
  for (let facet = 0; facet < facets; facet++) {
    const start = HEADER_BYTES + facet * FACET_BYTES + 12;
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
