import type { MjModel } from '@mujoco/mujoco';
import { distinctTriples, gather, withCreaseNormals } from '../model/normals.ts';
import type { Geometry } from '../model/scene.ts';

/** A mesh of a model, as MuJoCo compiled it. */
export function compiledMesh(model: MjModel, mesh: number): Geometry {
  const of = (values: unknown) => (values as Int32Array)[mesh] as number;
  const [faceStart, faceCount] = [of(model.mesh_faceadr), of(model.mesh_facenum)];
  const positions = rows(model.mesh_vert as Float32Array, of(model.mesh_vertadr), of(model.mesh_vertnum), 3);
  const faces = Uint32Array.from(rows(model.mesh_face as Int32Array, faceStart, faceCount, 3));
  const texcoords = of(model.mesh_texcoordadr);
  if (texcoords < 0) return withCreaseNormals(positions, faces);
  const uvs = rows(model.mesh_texcoord as Float32Array, texcoords, of(model.mesh_texcoordnum), 2);
  return withCorners(
    positions,
    faces,
    uvs,
    rows(model.mesh_facetexcoord as Int32Array, faceStart, faceCount, 3),
  );
}

/** Triangles with separate texture coordinates for each corner. */
function withCorners(
  positions: Float32Array,
  faces: Uint32Array,
  uvs: Float32Array,
  uvOfCorner: Int32Array,
): Geometry {
  const words = new Uint32Array(faces.length * 3);
  for (let corner = 0; corner < faces.length; corner++) {
    words[corner * 3] = faces[corner] as number;
    words[corner * 3 + 1] = uvOfCorner[corner] as number;
  }
  const { of: indices, firsts } = distinctTriples(words);
  const column = (slot: number) => firsts.map((corner) => words[corner * 3 + slot] as number);
  return withCreaseNormals(gather(positions, column(0), 3), indices, { uvs: gather(uvs, column(1), 2) });
}

/** Copies `count` rows of a table. */
export function rows<T extends Float32Array | Float64Array | Int32Array>(
  values: T,
  start: number,
  count: number,
  width: number,
): T {
  return values.slice(start * width, (start + count) * width) as T;
}

/** The upper side of a height field: rows in the direction of Y, columns in that of X. */
export function heightField(model: MjModel, field: number): Geometry {
  const of = (values: unknown) => (values as Int32Array)[field] as number;
  const [rowCount, columnCount] = [of(model.hfield_nrow), of(model.hfield_ncol)];
  const [x = 0, y = 0, top = 0] = rows(model.hfield_size as Float64Array, field, 1, 4);
  const heights = rows(model.hfield_data as Float32Array, of(model.hfield_adr), rowCount * columnCount, 1);
  const positions = new Float32Array(heights.length * 3);
  const uvs = new Float32Array(heights.length * 2);
  const indices = new Uint32Array((rowCount - 1) * (columnCount - 1) * 6);
  let at = 0;
  for (let row = 0; row < rowCount; row++) {
    for (let column = 0; column < columnCount; column++) {
      const vertex = row * columnCount + column;
      const [across, along] = [column / (columnCount - 1), row / (rowCount - 1)];
      positions.set(
        [(2 * across - 1) * x, (2 * along - 1) * y, (heights[vertex] as number) * top],
        vertex * 3,
      );
      uvs.set([across, 1 - along], vertex * 2);
      if (row === 0 || column === 0) continue;
      const below = vertex - columnCount;
      indices.set([below - 1, below, vertex, below - 1, vertex, vertex - 1], at);
      at += 6;
    }
  }
  return withCreaseNormals(positions, indices, { uvs });
}
