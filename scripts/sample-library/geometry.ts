/** Triangles with shared vertices, in metres, Z up. `normals` has one entry per position. */
export interface Mesh {
  positions: Vector[];
  normals: Vector[];
  triangles: [number, number, number][];
}

export type Vector = readonly [x: number, y: number, z: number];

/** A box centred at the origin. */
export function box(width: number, depth: number, height: number): Mesh {
  const faces: [normal: Vector, right: Vector, up: Vector][] = [
    [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ],
    [
      [-1, 0, 0],
      [0, -1, 0],
      [0, 0, 1],
    ],
    [
      [0, 1, 0],
      [-1, 0, 0],
      [0, 0, 1],
    ],
    [
      [0, -1, 0],
      [1, 0, 0],
      [0, 0, 1],
    ],
    [
      [0, 0, 1],
      [1, 0, 0],
      [0, 1, 0],
    ],
    [
      [0, 0, -1],
      [-1, 0, 0],
      [0, 1, 0],
    ],
  ];
  const half: Vector = [width / 2, depth / 2, height / 2];
  return joined(
    faces.map(([normal, right, up]) => ({
      positions: [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
      ].map(
        ([u = 0, v = 0]): Vector => [
          (normal[0] + u * right[0] + v * up[0]) * half[0],
          (normal[1] + u * right[1] + v * up[1]) * half[1],
          (normal[2] + u * right[2] + v * up[2]) * half[2],
        ],
      ),
      normals: Array<Vector>(4).fill(normal),
      triangles: [
        [0, 1, 2],
        [0, 2, 3],
      ],
    })),
  );
}

/** A surface of revolution about Z: `profile` runs from bottom to top as pairs of radius and height. */
export function turned(profile: [radius: number, height: number][], steps = 32): Mesh {
  const mesh: Mesh = { positions: [], normals: [], triangles: [] };
  for (let at = 0; at + 1 < profile.length; at++) {
    const [from, to] = [profile[at]!, profile[at + 1]!];
    const [outward, upward] = unit(to[1] - from[1], from[0] - to[0]);
    const first = mesh.positions.length;
    for (let step = 0; step <= steps; step++) {
      const angle = (2 * Math.PI * step) / steps;
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      for (const [radius, height] of [from, to]) {
        mesh.positions.push([radius * cos, radius * sin, height]);
        mesh.normals.push([outward * cos, outward * sin, upward]);
      }
      if (step === steps) continue;
      const corner = first + 2 * step;
      if (from[0] > 0) mesh.triangles.push([corner, corner + 2, corner + 1]);
      if (to[0] > 0) mesh.triangles.push([corner + 1, corner + 2, corner + 3]);
    }
  }
  return mesh;
}

export function cylinder(radius: number, height: number, steps = 32): Mesh {
  return turned(
    [
      [0, -height / 2],
      [radius, -height / 2],
      [radius, height / 2],
      [0, height / 2],
    ],
    steps,
  );
}

export function sphere(radius: number, steps = 24): Mesh {
  const profile = Array.from({ length: steps + 1 }, (_, step): [number, number] => {
    const angle = Math.PI * (step / steps - 0.5);
    return [step % steps === 0 ? 0 : radius * Math.cos(angle), radius * Math.sin(angle)];
  });
  return turned(profile, 2 * steps);
}

/** A spur gear: a ring of teeth between two radii. */
export function gear(teeth: number, inner: number, outer: number, thickness: number): Mesh {
  const tooth = box(outer - inner, (Math.PI * inner) / teeth, thickness);
  const ring = cylinder(inner, thickness, 4 * teeth);
  const around = Array.from({ length: teeth }, (_, at) =>
    rotatedZ(moved(tooth, [(inner + outer) / 2, 0, 0]), (2 * Math.PI * at) / teeth),
  );
  return joined([ring, ...around]);
}

export function joined(meshes: Mesh[]): Mesh {
  const whole: Mesh = { positions: [], normals: [], triangles: [] };
  for (const { positions, normals, triangles } of meshes) {
    const first = whole.positions.length;
    whole.positions.push(...positions);
    whole.normals.push(...normals);
    for (const [a, b, c] of triangles) whole.triangles.push([a + first, b + first, c + first]);
  }
  return whole;
}

export function moved(mesh: Mesh, [x, y, z]: Vector): Mesh {
  return { ...mesh, positions: mesh.positions.map(([px, py, pz]) => [px + x, py + y, pz + z]) };
}

/** Rotates a mesh by a quarter turn about X, from Z to Y. */
export function alongY(mesh: Mesh): Mesh {
  const turn = ([x, y, z]: Vector): Vector => [x, -z, y];
  return { ...mesh, positions: mesh.positions.map(turn), normals: mesh.normals.map(turn) };
}

function rotatedZ(mesh: Mesh, angle: number): Mesh {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const turn = ([x, y, z]: Vector): Vector => [x * cos - y * sin, x * sin + y * cos, z];
  return { ...mesh, positions: mesh.positions.map(turn), normals: mesh.normals.map(turn) };
}

function unit(x: number, y: number): [number, number] {
  const length = Math.hypot(x, y) || 1;
  return [x / length, y / length];
}
