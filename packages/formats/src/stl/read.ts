import { asPlainText } from '../files/text.ts';
import type { FormatReader } from '../format.ts';
import { LINEAR_OF_SRGB } from '../images/pixels.ts';
import { fromFirst } from '../model/bounds.ts';
import { distinctTriples, gather, sequentialIndices, withCreaseNormals } from '../model/normals.ts';
import { plainMaterial, type Surface } from '../model/scene.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { STL_FACET_BYTES, STL_HEADER_BYTES, stlLayout } from './layout.ts';

export const reader: FormatReader = {
  async readMesh(path, { files, budget }) {
    const { geometry, transform } = loadStl(asPlainText(await files.read(path)), budget);
    return {
      instances: [{ geometry, material: plainMaterial(geometry), transform }],
      points: [],
      isYUp: false,
      // Robots give their meshes the colours that they want, whatever a program left in the file.
      hasMaterials: false,
    };
  },
};

/** Loads binary or ASCII STL, told apart by length and first bytes, with the colours that some programs put in it. */
function loadStl(bytes: Uint8Array, budget: Budget): Surface {
  const layout = stlLayout(bytes, bytes.byteLength);
  const values = layout.binary ? readBinary(bytes, layout.facets, budget) : readAscii(bytes, budget);
  if (values.length === 0) throw new Unrenderable('the STL file has no triangles');
  const { positions, transform } = fromFirst(values);
  const colors = layout.binary ? facetColors(bytes, layout.facets) : undefined;
  if (colors !== undefined) {
    const geometry = withCreaseNormals(positions, sequentialIndices(positions.length / 3), { colors });
    return { geometry, transform };
  }
  const { of, firsts } = distinctTriples(new Uint32Array(positions.buffer));
  return { geometry: withCreaseNormals(gather(positions, firsts, 3), of), transform };
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

function readAscii(bytes: Uint8Array, budget: Budget): Float64Array {
  // The first line has a name, which may be any words.
  const text = new TextDecoder('latin1').decode(bytes).replace(/^\s*solid[^\n]*\n/i, '');
  const values: number[] = [];
  for (const [, x, y, z] of text.matchAll(/vertex\s+(\S+)\s+(\S+)\s+(\S+)/gi)) {
    values.push(Number(x), Number(y), Number(z));
    if (values.length % 9 === 0) {
      budget.spend('triangles', 1);
      budget.spend('vertices', 3);
    }
  }
  return Float64Array.from(values.slice(0, values.length - (values.length % 9)));
}

const VALID = 0x8000;

/**
 * Colours of 15 bits in the last two bytes of facets, per corner and linear. Magics names a colour for facets without
 * one in the header; VisCAM does not, marks those with one, and has red and blue the other way round.
 */
function facetColors(bytes: Uint8Array, facets: number): Float32Array | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = new TextDecoder('latin1').decode(bytes.subarray(0, STL_HEADER_BYTES - 4));
  const named = header.indexOf('COLOR=');
  const words = Uint16Array.from({ length: facets }, (_, facet) =>
    view.getUint16(STL_HEADER_BYTES + (facet + 1) * STL_FACET_BYTES - 2, true),
  );
  const isColored = (word: number) => (named >= 0 ? (word & VALID) === 0 : (word & VALID) !== 0);
  if (named < 0 && !(words.some(isColored) && words.every((word) => word === 0 || isColored(word))))
    return undefined;
  const rest = named < 0 ? [159, 161, 166] : Array.from(bytes.subarray(named + 6, named + 9));
  const colors = new Float32Array(facets * 12).fill(1);
  for (const [facet, word] of words.entries()) {
    const parts = [word & 31, (word >> 5) & 31, (word >> 10) & 31].map((part) =>
      Math.round((part * 255) / 31),
    );
    const rgb = !isColored(word) ? rest : named >= 0 ? parts : parts.reverse();
    for (let corner = 0; corner < 3; corner++)
      for (let k = 0; k < 3; k++) colors[facet * 12 + corner * 4 + k] = LINEAR_OF_SRGB[rgb[k] ?? 0] as number;
  }
  return colors;
}
