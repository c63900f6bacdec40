import type { MjData, MjModel } from '@mujoco/mujoco';
import { compose, multiply, transformNormals, transformPoints } from '../model/matrix.ts';
import { gather, withCreaseNormals } from '../model/normals.ts';
import { capsule } from '../model/primitives.ts';
import type { Geometry } from '../model/scene.ts';
import { rows } from './meshes.ts';

/** A posed skin: each vertex follows its bodies by their weights, as in MuJoCo's own viewer. */
export function skinSurface(model: MjModel, data: MjData, skin: number): Geometry | undefined {
  const of = (values: unknown) => (values as Int32Array)[skin] as number;
  const vertexCount = of(model.skin_vertnum);
  const rest = rows(model.skin_vert as Float32Array, of(model.skin_vertadr), vertexCount, 3);
  const faces = rows(model.skin_face as Int32Array, of(model.skin_faceadr), of(model.skin_facenum), 3);
  const positions = new Float32Array(rest.length);
  const firstBone = of(model.skin_boneadr);
  for (let bone = firstBone; bone < firstBone + of(model.skin_bonenum); bone++) {
    addBoneInfluence(model, data, bone, rest, positions);
  }
  const texcoords = of(model.skin_texcoordadr);
  const uvs =
    texcoords < 0 ? undefined : rows(model.skin_texcoord as Float32Array, texcoords, vertexCount, 2);
  return faces.length === 0 ? undefined : withCreaseNormals(positions, Uint32Array.from(faces), { uvs });
}

/** Adds a bone's weighted share to the positions of its vertices: body · bind⁻¹ · rest. */
function addBoneInfluence(
  model: MjModel,
  data: MjData,
  bone: number,
  rest: Float32Array,
  positions: Float32Array,
): void {
  const of = (values: unknown) => (values as Int32Array)[bone] as number;
  const body = of(model.skin_bonebodyid);
  const [start, count] = [of(model.skin_bonevertadr), of(model.skin_bonevertnum)];
  const vertices = rows(model.skin_bonevertid as Int32Array, start, count, 1);
  const weights = rows(model.skin_bonevertweight as Float32Array, start, count, 1);
  const bindPosition = rows(model.skin_bonebindpos as Float32Array, bone, 1, 3);
  const bindTurn = rows(model.skin_bonebindquat as Float32Array, bone, 1, 4);
  const unbound = multiply(
    placement([0, 0, 0], conjugate(bindTurn)),
    placement([-at(bindPosition, 0), -at(bindPosition, 1), -at(bindPosition, 2)], [1, 0, 0, 0]),
  );
  const toWorld = multiply(
    placement(rows(data.xpos as Float64Array, body, 1, 3), rows(data.xquat as Float64Array, body, 1, 4)),
    unbound,
  );
  const carried = transformPoints(toWorld, gather(rest, vertices, 3));
  for (let i = 0; i < count; i++) {
    const vertex = (vertices[i] as number) * 3;
    for (let k = 0; k < 3; k++) {
      positions[vertex + k] = at(positions, vertex + k) + at(weights, i) * at(carried, i * 3 + k);
    }
  }
}

/** A posed flex: its edges as rods, its triangles, or the hull of its tetrahedra. */
export function flexSurface(model: MjModel, data: MjData, flex: number): Geometry | undefined {
  const of = (values: unknown) => (values as ArrayLike<number>)[flex] as number;
  const positions = Float32Array.from(
    rows(data.flexvert_xpos as Float64Array, of(model.flex_vertadr), of(model.flex_vertnum), 3),
  );
  const elements = (width: number) =>
    (model.flex_elem as Int32Array).slice(
      of(model.flex_elemdataadr),
      of(model.flex_elemdataadr) + of(model.flex_elemnum) * width,
    );
  switch (of(model.flex_dim)) {
    case 1:
      return rods(positions, elements(2), of(model.flex_radius));
    case 2:
      return withCreaseNormals(positions, Uint32Array.from(elements(3)));
    default: {
      const start = of(model.flex_shelldataadr);
      const shell = (model.flex_shell as Int32Array).slice(start, start + of(model.flex_shellnum) * 3);
      return shell.length === 0 ? undefined : withCreaseNormals(positions, Uint32Array.from(shell));
    }
  }
}

/** A capsule along each edge. */
function rods(positions: Float32Array, edges: Int32Array, radius: number): Geometry | undefined {
  const parts: Geometry[] = [];
  for (let edge = 0; edge + 1 < edges.length; edge += 2) {
    const a = rows(positions, edges[edge] as number, 1, 3);
    const b = rows(positions, edges[edge + 1] as number, 1, 3);
    const [x, y, z] = [at(b, 0) - at(a, 0), at(b, 1) - at(a, 1), at(b, 2) - at(a, 2)];
    const length = Math.hypot(x, y, z);
    if (length === 0) continue;
    const middle = [(at(a, 0) + at(b, 0)) / 2, (at(a, 1) + at(b, 1)) / 2, (at(a, 2) + at(b, 2)) / 2];
    const rod = capsule(Math.max(radius, length * 0.02), length / 2);
    // Half a turn about the bisector of Z and the edge maps one to the other.
    const toWorld = placement(middle, z < -length * 0.999999 ? [0, 1, 0, 0] : [0, x, y, z + length]);
    parts.push({
      ...rod,
      positions: transformPoints(toWorld, rod.positions),
      normals: transformNormals(toWorld, rod.normals),
    });
  }
  return parts.length === 0 ? undefined : joined(parts);
}

function joined(parts: readonly Geometry[]): Geometry {
  let vertices = 0;
  const indices = parts.map((part) => {
    const moved = part.indices.map((vertex) => vertex + vertices);
    vertices += part.positions.length / 3;
    return moved;
  });
  return {
    positions: concatenated(parts.map(({ positions }) => positions)),
    normals: concatenated(parts.map(({ normals }) => normals)),
    indices: Uint32Array.from(indices.flatMap((part) => [...part])),
  };
}

function concatenated(tables: readonly Float32Array[]): Float32Array {
  const out = new Float32Array(tables.reduce((sum, { length }) => sum + length, 0));
  let start = 0;
  for (const table of tables) {
    out.set(table, start);
    start += table.length;
  }
  return out;
}

/** From a position and a quaternion w, x, y, z of any length. */
function placement(position: ArrayLike<number>, turn: ArrayLike<number>) {
  const [w, x, y, z] = [at(turn, 0), at(turn, 1), at(turn, 2), at(turn, 3)];
  const length = Math.hypot(w, x, y, z) || 1;
  return compose(
    [at(position, 0), at(position, 1), at(position, 2)],
    [x / length, y / length, z / length, w / length],
    [1, 1, 1],
  );
}

function conjugate(turn: ArrayLike<number>): number[] {
  return [at(turn, 0), -at(turn, 1), -at(turn, 2), -at(turn, 3)];
}

function at(values: ArrayLike<number>, index: number): number {
  return values[index] ?? 0;
}
