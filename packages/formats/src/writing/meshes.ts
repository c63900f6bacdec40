import { linearToSrgb } from '../images/pixels.ts';
import type { MeshPart } from '../model/mechanism.ts';
import type { Geometry } from '../model/scene.ts';
import { AsciiText } from './ascii.ts';

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

/** MuJoCo refuses meshes of fewer vertices. */
const MIN_OBJ_VERTICES = 4;

/** How many digits after the point lengths have in OBJ, which is a hundredth of a micrometre, and parts of normals. */
const METRES = 8;
const UNITLESS = 4;

/** A mesh as OBJ, with texture coordinates if it has some, and with normals. `materialOf` names the material of a part. */
export function objFile(
  parts: readonly MeshPart[],
  library?: string,
  materialOf: (part: MeshPart) => string | undefined = () => undefined,
): Uint8Array {
  const out = new AsciiText();
  if (library !== undefined) out.text(`mtllib ${library}\n`);
  let [vertices, coordinates] = [1, 1];
  for (const part of parts) {
    const { geometry } = part;
    const material = materialOf(part);
    if (material !== undefined) out.text(`usemtl ${material}\n`);
    writeVertices(out, geometry);
    const { indices, uvs, positions } = geometry;
    for (let at = 0; at < indices.length; at++) {
      const vertex = indices[at] as number;
      out
        .text(at % 3 === 0 ? 'f ' : ' ')
        .number(vertices + vertex, 0)
        .text('/');
      if (uvs !== undefined) out.number(coordinates + vertex, 0);
      out.text('/').number(vertices + vertex, 0);
      if (at % 3 === 2) out.text('\n');
    }
    vertices += positions.length / 3;
    coordinates += (uvs?.length ?? 0) / 2;
  }
  const [first] = parts;
  for (; vertices <= MIN_OBJ_VERTICES; vertices++)
    writeTriple(out.text('v'), first?.geometry.positions ?? [], 0, METRES).text('\n');
  return out.bytes;
}

function writeVertices(out: AsciiText, { positions, normals, colors, uvs }: Geometry): void {
  for (let vertex = 0; vertex < positions.length / 3; vertex++) {
    writeTriple(out.text('v'), positions, vertex * 3, METRES);
    if (colors !== undefined) {
      const color = colors.subarray(vertex * 4, vertex * 4 + 3);
      writeTriple(out, color.map(linearToSrgb), 0, UNITLESS);
    }
    writeTriple(out.text('\nvn'), normals, vertex * 3, UNITLESS).text('\n');
  }
  // V runs up in OBJ.
  for (let at = 0; at < (uvs?.length ?? 0); at += 2)
    out
      .text('vt ')
      .number(uvs?.[at] ?? 0, METRES)
      .text(' ')
      .number(1 - (uvs?.[at + 1] ?? 0), METRES)
      .text('\n');
}

function writeTriple(out: AsciiText, values: ArrayLike<number>, start: number, decimals: number): AsciiText {
  for (let k = start; k < start + 3; k++) out.text(' ').number(values[k] ?? 0, decimals);
  return out;
}
