import { linearToSrgb } from '../../picture.ts';
import type { Geometry } from '../../scene.ts';
import type { MeshPart } from '../mechanism.ts';

const HEADER_BYTES = 84;
const FACET_BYTES = 50;

/** Meshes as binary STL, with the normals of triangles left to whoever reads it. */
export function stlFile(meshes: readonly Geometry[]): Uint8Array {
  const facets = meshes.reduce((sum, { indices }) => sum + indices.length / 3, 0);
  const bytes = new Uint8Array(HEADER_BYTES + facets * FACET_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(HEADER_BYTES - 4, facets, true);
  let start = HEADER_BYTES + 12;
  for (const { positions, indices } of meshes) {
    for (let corner = 0; corner < indices.length; corner++) {
      const vertex = (indices[corner] as number) * 3;
      for (let k = 0; k < 3; k++) view.setFloat32(start + k * 4, positions[vertex + k] as number, true);
      start += corner % 3 === 2 ? FACET_BYTES - 24 : 12;
    }
  }
  return bytes;
}

/** Fewer vertices are no mesh for MuJoCo. */
const MIN_OBJ_VERTICES = 4;

/** A mesh as OBJ, with texture coordinates if it has some, and with normals. `materialOf` names the material of a part. */
export function objFile(
  parts: readonly MeshPart[],
  library?: string,
  materialOf: (part: MeshPart) => string | undefined = () => undefined,
): Uint8Array {
  const lines: string[] = library === undefined ? [] : [`mtllib ${library}`];
  let [vertices, coordinates] = [1, 1];
  for (const part of parts) {
    const { positions, indices, uvs, normals, colors } = part.geometry;
    const count = positions.length / 3;
    const material = materialOf(part);
    if (material !== undefined) lines.push(`usemtl ${material}`);
    for (let vertex = 0; vertex < count; vertex++) {
      const color =
        colors === undefined
          ? ''
          : ` ${[0, 1, 2].map((k) => rounded(linearToSrgb(colors[vertex * 4 + k] ?? 0), 1e5)).join(' ')}`;
      lines.push(`v ${triple(positions, vertex, METRE)}${color}`, `vn ${triple(normals, vertex, NORMAL)}`);
    }
    // V runs up in OBJ.
    for (let at = 0; at < (uvs?.length ?? 0); at += 2)
      lines.push(`vt ${rounded(uvs?.[at] ?? 0, METRE)} ${rounded(1 - (uvs?.[at + 1] ?? 0), METRE)}`);
    for (let at = 0; at < indices.length; at += 3) {
      const corners = [0, 1, 2].map((k) => {
        const vertex = indices[at + k] as number;
        return `${vertices + vertex}/${uvs === undefined ? '' : coordinates + vertex}/${vertices + vertex}`;
      });
      lines.push(`f ${corners.join(' ')}`);
    }
    vertices += count;
    coordinates += (uvs?.length ?? 0) / 2;
  }
  for (; vertices <= MIN_OBJ_VERTICES; vertices++)
    lines.push(lines.find((line) => line.startsWith('v ')) ?? 'v 0 0 0');
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}

/** How finely lengths and parts of normals are written: to a hundredth of a micrometre, and to one in ten thousand. */
const METRE = 1e8;
const NORMAL = 1e4;

function triple(values: Float32Array, row: number, scale: number): string {
  const [x, y, z] = [values[row * 3] ?? 0, values[row * 3 + 1] ?? 0, values[row * 3 + 2] ?? 0];
  return `${rounded(x, scale)} ${rounded(y, scale)} ${rounded(z, scale)}`;
}

function rounded(value: number, scale: number): number {
  return Math.round(value * scale) / scale;
}
