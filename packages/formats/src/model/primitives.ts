import type { Vector3 } from './matrix.ts';
import type { Geometry } from './scene.ts';

const SEGMENTS = 40;
const RINGS = 20;

/** A form around the origin, described by its measures; cylinders and capsules stand along Z. */
export type Primitive =
  | { readonly type: 'box'; readonly size: Vector3 }
  | { readonly type: 'sphere'; readonly radius: number }
  | { readonly type: 'ellipsoid'; readonly radii: Vector3 }
  /** `length` of a capsule is that of its cylinder. */
  | { readonly type: 'cylinder' | 'capsule'; readonly radius: number; readonly length: number };

export function surfaceOf(primitive: Primitive): Geometry {
  switch (primitive.type) {
    case 'box': {
      const [x, y, z] = primitive.size;
      return box(x / 2, y / 2, z / 2);
    }
    case 'sphere':
      return ellipsoid(primitive.radius, primitive.radius, primitive.radius);
    case 'ellipsoid':
      return ellipsoid(...primitive.radii);
    case 'cylinder':
      return cylinder(primitive.radius, primitive.length / 2);
    case 'capsule':
      return capsule(primitive.radius, primitive.length / 2);
  }
}

/** A box around the origin with the given half extents. */
export function box(hx: number, hy: number, hz: number): Geometry {
  const builder = new Builder();
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [1, -1]) {
      const half = [hx, hy, hz];
      const corner = (u: number, v: number): Corner => {
        const position: Corner = [0, 0, 0];
        position[axis] = side * (half[axis] as number);
        position[(axis + 1) % 3] = u * (half[(axis + 1) % 3] as number);
        position[(axis + 2) % 3] = v * side * (half[(axis + 2) % 3] as number);
        return position;
      };
      const normal: Corner = [0, 0, 0];
      normal[axis] = side;
      const first = builder.vertex(corner(-1, -1), normal, [0, 1]);
      builder.vertex(corner(1, -1), normal, [1, 1]);
      builder.vertex(corner(1, 1), normal, [1, 0]);
      builder.vertex(corner(-1, 1), normal, [0, 0]);
      builder.quad(first, first + 1, first + 2, first + 3);
    }
  }
  return builder.geometry();
}

/** An ellipsoid around the origin. */
export function ellipsoid(rx: number, ry: number, rz: number): Geometry {
  return turned(
    Array.from({ length: RINGS + 1 }, (_, ring) => {
      const angle = (ring / RINGS - 0.5) * Math.PI;
      return {
        radius: Math.cos(angle),
        height: Math.sin(angle),
        slope: Math.sin(angle),
        out: Math.cos(angle),
      };
    }),
    [rx, ry, rz],
  );
}

/** A cylinder around the Z axis, from −halfHeight to halfHeight. */
export function cylinder(radius: number, halfHeight: number): Geometry {
  return turned(
    [
      { radius: 0, height: -1, slope: -1, out: 0 },
      { radius: 1, height: -1, slope: -1, out: 0 },
      { radius: 1, height: -1, slope: 0, out: 1 },
      { radius: 1, height: 1, slope: 0, out: 1 },
      { radius: 1, height: 1, slope: 1, out: 0 },
      { radius: 0, height: 1, slope: 1, out: 0 },
    ],
    [radius, radius, halfHeight],
  );
}

/** A capsule around the Z axis; `halfHeight` is that of its straight part. */
export function capsule(radius: number, halfHeight: number): Geometry {
  const profile: Profile[] = [];
  for (let ring = 0; ring <= RINGS; ring++) {
    const angle = (ring / RINGS - 0.5) * Math.PI;
    const lift = Math.sign(angle) * halfHeight;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    if (ring === RINGS / 2) profile.push({ radius, height: -halfHeight, slope: 0, out: 1 });
    profile.push({ radius: c * radius, height: s * radius + (lift || halfHeight), slope: s, out: c });
  }
  return turned(profile, [1, 1, 1]);
}

/** A flat rectangle in the XY plane that faces Z. */
export function rectangle(hx: number, hy: number): Geometry {
  const builder = new Builder();
  const first = builder.vertex([-hx, -hy, 0], [0, 0, 1], [0, 1]);
  builder.vertex([hx, -hy, 0], [0, 0, 1], [1, 1]);
  builder.vertex([hx, hy, 0], [0, 0, 1], [1, 0]);
  builder.vertex([-hx, hy, 0], [0, 0, 1], [0, 0]);
  builder.quad(first, first + 1, first + 2, first + 3);
  return builder.geometry();
}

/** Its axis is Z, its tip above. */
export function cone(radius: number, halfHeight: number): Geometry {
  const [out, slope] = [2 * halfHeight, radius].map((side) => side / Math.hypot(2 * halfHeight, radius));
  return turned(
    [
      { radius: 0, height: -halfHeight, slope: -1, out: 0 },
      { radius, height: -halfHeight, slope: -1, out: 0 },
      { radius, height: -halfHeight, slope: slope ?? 0, out: out ?? 1 },
      { radius: 0, height: halfHeight, slope: slope ?? 0, out: out ?? 1 },
    ],
    [1, 1, 1],
  );
}

interface Profile {
  readonly radius: number;
  readonly height: number;
  /** The components of the normal along the axis and away from it. */
  readonly slope: number;
  readonly out: number;
}

/** Revolves a profile around the Z axis and scales it. */
function turned(profile: readonly Profile[], [sx, sy, sz]: Corner): Geometry {
  const builder = new Builder();
  for (const [ring, point] of profile.entries()) {
    for (let segment = 0; segment <= SEGMENTS; segment++) {
      const angle = (segment / SEGMENTS) * 2 * Math.PI;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      const vertex = builder.vertex(
        [point.radius * c * sx, point.radius * s * sy, point.height * sz],
        unit([(point.out * c) / (sx || 1), (point.out * s) / (sy || 1), point.slope / (sz || 1)]),
        [segment / SEGMENTS, 1 - ring / (profile.length - 1)],
      );
      if (ring > 0 && segment > 0) {
        const below = vertex - SEGMENTS - 1;
        builder.quad(below - 1, below, vertex, vertex - 1);
      }
    }
  }
  return builder.geometry();
}

type Corner = [number, number, number];

class Builder {
  readonly #positions: number[] = [];
  readonly #normals: number[] = [];
  readonly #uvs: number[] = [];
  readonly #indices: number[] = [];

  vertex(position: Corner, normal: Corner, uv: [number, number]): number {
    this.#positions.push(...position);
    this.#normals.push(...normal);
    this.#uvs.push(...uv);
    return this.#positions.length / 3 - 1;
  }

  quad(a: number, b: number, c: number, d: number): void {
    this.#indices.push(a, b, c, a, c, d);
  }

  geometry(): Geometry {
    return {
      positions: Float32Array.from(this.#positions),
      normals: Float32Array.from(this.#normals),
      uvs: Float32Array.from(this.#uvs),
      indices: Uint32Array.from(this.#indices),
    };
  }
}

function unit(vector: Corner): Corner {
  const length = Math.hypot(...vector) || 1;
  return [vector[0] / length, vector[1] / length, vector[2] / length];
}
