import type { Geometry } from '../../scene.ts';

const HEADER_BYTES = 84;
const FACET_BYTES = 50;

/** A mesh as binary STL, with the normals of its triangles left to whoever reads it. */
export function stlFile({ positions, indices }: Geometry): Uint8Array {
  const facets = indices.length / 3;
  const bytes = new Uint8Array(HEADER_BYTES + facets * FACET_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(HEADER_BYTES - 4, facets, true);
  for (let facet = 0; facet < facets; facet++) {
    const start = HEADER_BYTES + facet * FACET_BYTES + 12;
    for (let k = 0; k < 9; k++) {
      const vertex = indices[facet * 3 + Math.floor(k / 3)] as number;
      view.setFloat32(start + k * 4, positions[vertex * 3 + (k % 3)] as number, true);
    }
  }
  return bytes;
}

/** Fewer vertices are no mesh for MuJoCo. */
const MIN_OBJ_VERTICES = 4;

/** A mesh as OBJ, with texture coordinates if it has some. */
export function objFile({ positions, indices, uvs }: Geometry): Uint8Array {
  const lines: string[] = [];
  for (let at = 0; at < positions.length; at += 3)
    lines.push(`v ${float(positions, at)} ${float(positions, at + 1)} ${float(positions, at + 2)}`);
  for (let count = positions.length / 3; count < MIN_OBJ_VERTICES; count++) lines.push(lines[0] ?? 'v 0 0 0');
  // V runs up in OBJ.
  for (let at = 0; at < (uvs?.length ?? 0); at += 2)
    lines.push(`vt ${uvs?.[at]} ${1 - (uvs?.[at + 1] ?? 0)}`);
  const corner = (at: number) => {
    const number = (indices[at] as number) + 1;
    return uvs === undefined ? number : `${number}/${number}`;
  };
  for (let at = 0; at < indices.length; at += 3)
    lines.push(`f ${corner(at)} ${corner(at + 1)} ${corner(at + 2)}`);
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}

/** The digits that make the same 32-bit number. */
function float(values: Float32Array, at: number): number {
  return Number((values[at] as number).toPrecision(9));
}
