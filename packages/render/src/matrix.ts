/** A 4 × 4 matrix, column-major, acting on column vectors. */
export type Matrix4 = readonly number[];
export type Vector3 = readonly [number, number, number];
/** x, y, z, w. */
export type Quaternion = readonly [number, number, number, number];

export const IDENTITY: Matrix4 = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Takes a Y-up frame to a Z-up one by a quarter turn about X. */
export const Y_UP_TO_Z_UP: Matrix4 = [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1];

const at = (m: ArrayLike<number>, index: number): number => m[index] ?? 0;

export function multiply(a: Matrix4, b: Matrix4): Matrix4 {
  const out: number[] = [];
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += at(a, k * 4 + row) * at(b, column * 4 + k);
      out.push(sum);
    }
  }
  return out;
}

export function compose(translation: Vector3, rotation: Quaternion, scale: Vector3): Matrix4 {
  const [x, y, z, w] = rotation;
  const [sx, sy, sz] = scale;
  return [
    (1 - 2 * (y * y + z * z)) * sx,
    2 * (x * y + z * w) * sx,
    2 * (x * z - y * w) * sx,
    0,
    2 * (x * y - z * w) * sy,
    (1 - 2 * (x * x + z * z)) * sy,
    2 * (y * z + x * w) * sy,
    0,
    2 * (x * z + y * w) * sz,
    2 * (y * z - x * w) * sz,
    (1 - 2 * (x * x + y * y)) * sz,
    0,
    ...translation,
    1,
  ];
}

export function translation(x: number, y: number, z: number): Matrix4 {
  return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1];
}

export function scaling(x: number, y: number, z: number): Matrix4 {
  return [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1];
}

/** By an angle in radians about an axis of any length: Rodrigues' formula. No axis is no rotation. */
export function rotation(axis: Vector3, angle: number): Matrix4 {
  const [x, y, z] = unit(axis);
  if (x === 0 && y === 0 && z === 0) return IDENTITY;
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const t = 1 - c;
  return [
    t * x * x + c,
    t * x * y + s * z,
    t * x * z - s * y,
    0,
    t * x * y - s * z,
    t * y * y + c,
    t * y * z + s * x,
    0,
    t * x * z + s * y,
    t * y * z - s * x,
    t * z * z + c,
    0,
    0,
    0,
    0,
    1,
  ];
}

/** Fixed-axis roll, pitch, yaw in radians: R = Rz(yaw) · Ry(pitch) · Rx(roll), as URDF defines `rpy`. */
export function rollPitchYaw(roll: number, pitch: number, yaw: number): Matrix4 {
  const [cr, sr, cp, sp, cy, sy] = [roll, pitch, yaw].flatMap((a) => [Math.cos(a), Math.sin(a)]) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return [
    cy * cp,
    sy * cp,
    -sp,
    0,
    cy * sp * sr - sy * cr,
    sy * sp * sr + cy * cr,
    cp * sr,
    0,
    cy * sp * cr + sy * sr,
    sy * sp * cr - cy * sr,
    cp * cr,
    0,
    0,
    0,
    0,
    1,
  ];
}

/** From a row-major 3 × 3 rotation and a position. */
export function fromRotation(rotation: ArrayLike<number>, offset: number, position: Vector3): Matrix4 {
  const r = (index: number) => at(rotation, offset + index);
  return [r(0), r(3), r(6), 0, r(1), r(4), r(7), 0, r(2), r(5), r(8), 0, ...position, 1];
}

export function transpose(m: Matrix4): Matrix4 {
  return m.map((_, index) => at(m, (index % 4) * 4 + Math.floor(index / 4)));
}

/** Takes the frame of an eye (Y up, looking along −Z) to the one in which the eye, its target and `up` are given. */
export function lookAt(eye: Vector3, target: Vector3, up: Vector3): Matrix4 {
  const back = unit([eye[0] - target[0], eye[1] - target[1], eye[2] - target[2]]);
  const right = unit(cross(up, back));
  return [...right, 0, ...cross(back, right), 0, ...back, 0, ...eye, 1];
}

export function cross(a: Vector3, b: Vector3): Vector3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** The vector at length one; the zero vector stays. */
export function unit([x, y, z]: Vector3): Vector3 {
  const length = Math.hypot(x, y, z) || 1;
  return [x / length, y / length, z / length];
}

/** Determinant of the upper 3 × 3 part: negative when the matrix mirrors. */
export function determinant3(m: Matrix4): number {
  return (
    at(m, 0) * (at(m, 5) * at(m, 10) - at(m, 6) * at(m, 9)) -
    at(m, 4) * (at(m, 1) * at(m, 10) - at(m, 2) * at(m, 9)) +
    at(m, 8) * (at(m, 1) * at(m, 6) - at(m, 2) * at(m, 5))
  );
}

/** Points through the matrix. */
export function transformPoints(m: Matrix4, points: Float32Array): Float32Array {
  const [m0, m1, m2, m4, m5, m6] = [at(m, 0), at(m, 1), at(m, 2), at(m, 4), at(m, 5), at(m, 6)];
  const [m8, m9, m10, m12, m13, m14] = [at(m, 8), at(m, 9), at(m, 10), at(m, 12), at(m, 13), at(m, 14)];
  const out = new Float32Array(points.length);
  for (let i = 0; i + 2 < points.length; i += 3) {
    const x = points[i] as number;
    const y = points[i + 1] as number;
    const z = points[i + 2] as number;
    out[i] = m0 * x + m4 * y + m8 * z + m12;
    out[i + 1] = m1 * x + m5 * y + m9 * z + m13;
    out[i + 2] = m2 * x + m6 * y + m10 * z + m14;
  }
  return out;
}

/** Normals through the matrix: by the cofactors of its upper 3 × 3 part, normalised, right for any scale and mirror. */
export function transformNormals(m: Matrix4, normals: Float32Array): Float32Array {
  const sign = determinant3(m) < 0 ? -1 : 1;
  const c = cofactors(m);
  const [c0, c1, c2, c3, c4, c5] = [at(c, 0), at(c, 1), at(c, 2), at(c, 3), at(c, 4), at(c, 5)];
  const [c6, c7, c8] = [at(c, 6), at(c, 7), at(c, 8)];
  const out = new Float32Array(normals.length);
  for (let i = 0; i + 2 < normals.length; i += 3) {
    const x = normals[i] as number;
    const y = normals[i + 1] as number;
    const z = normals[i + 2] as number;
    const nx = c0 * x + c3 * y + c6 * z;
    const ny = c1 * x + c4 * y + c7 * z;
    const nz = c2 * x + c5 * y + c8 * z;
    const scale = sign / (Math.sqrt(nx * nx + ny * ny + nz * nz) || 1);
    out[i] = nx * scale;
    out[i + 1] = ny * scale;
    out[i + 2] = nz * scale;
  }
  return out;
}

function cofactors(m: Matrix4): number[] {
  const a = (column: number, row: number) => at(m, column * 4 + row);
  const minor = (c1: number, r1: number, c2: number, r2: number) =>
    a(c1, r1) * a(c2, r2) - a(c1, r2) * a(c2, r1);
  return [
    minor(1, 1, 2, 2),
    minor(1, 2, 2, 0),
    minor(1, 0, 2, 1),
    minor(2, 1, 0, 2),
    minor(2, 2, 0, 0),
    minor(2, 0, 0, 1),
    minor(0, 1, 1, 2),
    minor(0, 2, 1, 0),
    minor(0, 0, 1, 1),
  ];
}
