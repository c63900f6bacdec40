import { glMatrix, mat3, mat4, quat, type ReadonlyMat3, type ReadonlyMat4, vec3 } from 'gl-matrix';

// 64-bit numbers: transforms in a model, unlike its vertices, may be far from the origin.
glMatrix.setMatrixArrayType(Array);

/** A 4 × 4 matrix, column-major, acting on column vectors. */
export type Matrix4 = Extract<ReadonlyMat4, readonly number[]>;
export type Vector3 = readonly [number, number, number];
/** x, y, z, w. */
type Quaternion = readonly [number, number, number, number];

export const IDENTITY = mat4.create() as Matrix4;

/** Transforms a Y-up frame to a Z-up one by a quarter turn about X. */
export const Y_UP_TO_Z_UP: Matrix4 = [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1];

export function multiply(a: Matrix4, b: Matrix4): Matrix4 {
  return mat4.multiply(mat4.create(), a, b) as Matrix4;
}

export function compose(translation: Vector3, rotation: Quaternion, scale: Vector3): Matrix4 {
  return mat4.fromRotationTranslationScale(mat4.create(), rotation, translation, scale) as Matrix4;
}

export function translation(x: number, y: number, z: number): Matrix4 {
  return mat4.fromTranslation(mat4.create(), [x, y, z]) as Matrix4;
}

export function scaling(x: number, y: number, z: number): Matrix4 {
  return mat4.fromScaling(mat4.create(), [x, y, z]) as Matrix4;
}

/** Rotates by an angle in radians about an axis of any length; an axis of length 0 yields the identity. */
export function rotation(axis: Vector3, angle: number): Matrix4 {
  return (mat4.fromRotation(mat4.create(), angle, unit(axis)) as Matrix4 | null) ?? IDENTITY;
}

/** Fixed-axis roll, pitch, yaw in radians: R = Rz(yaw) · Ry(pitch) · Rx(roll), as URDF defines `rpy`. */
export function rollPitchYaw(roll: number, pitch: number, yaw: number): Matrix4 {
  const out = mat4.fromZRotation(mat4.create(), yaw);
  return mat4.rotateX(out, mat4.rotateY(out, out, pitch), roll) as Matrix4;
}

/** The roll, pitch and yaw of a rotation, in radians; also where they are not unique. */
export function rollPitchYawOf(m: Matrix4): Vector3 {
  const yaw = Math.atan2(m[1], m[0]);
  const [s, c] = [Math.sin(yaw), Math.cos(yaw)];
  const roll = Math.atan2(s * m[8] - c * m[9], c * m[5] - s * m[4]);
  return [roll, Math.atan2(-m[2], Math.hypot(m[0], m[1])), yaw];
}

/** From a row-major 3 × 3 rotation and a position. */
export function fromRotation(rotation: ArrayLike<number>, offset: number, [x, y, z]: Vector3): Matrix4 {
  const r = (index: number) => rotation[offset + index] ?? 0;
  return [r(0), r(3), r(6), 0, r(1), r(4), r(7), 0, r(2), r(5), r(8), 0, x, y, z, 1];
}

/** The inverse of `m`, or the identity if there is none. */
export function inverse(m: Matrix4): Matrix4 {
  return (mat4.invert(mat4.create(), m) as Matrix4 | null) ?? IDENTITY;
}

/** Transforms a direction by the upper 3 × 3 part. */
export function rotated(m: Matrix4, [x, y, z]: Vector3): Vector3 {
  return [m[0] * x + m[4] * y + m[8] * z, m[1] * x + m[5] * y + m[9] * z, m[2] * x + m[6] * y + m[10] * z];
}

/** Transforms a point. */
export function transformPoint(m: Matrix4, point: Vector3): Vector3 {
  const [x, y, z] = rotated(m, point);
  return [x + m[12], y + m[13], z + m[14]];
}

export function transpose(m: Matrix4): Matrix4 {
  return mat4.transpose(mat4.create(), m) as Matrix4;
}

/** From the frame of an eye (Y up, looking along −Z) to the one in which the eye, its target and `up` are given. */
export function lookAt(eye: Vector3, target: Vector3, up: Vector3): Matrix4 {
  return mat4.targetTo(mat4.create(), eye, target, up) as Matrix4;
}

export function dot(a: Vector3, b: Vector3): number {
  return vec3.dot(a, b);
}

export function subtract(a: Vector3, b: Vector3): Vector3 {
  return vec3.subtract([0, 0, 0], a, b) as Vector3;
}

export function cross(a: Vector3, b: Vector3): Vector3 {
  return vec3.cross([0, 0, 0], a, b) as Vector3;
}

/** Scales a vector to length 1; the zero vector stays zero. */
export function unit(vector: Vector3): Vector3 {
  return vec3.normalize([0, 0, 0], vector) as Vector3;
}

/** Determinant of the upper 3 × 3 part: negative when the matrix mirrors. */
export function determinant3(m: Matrix4): number {
  return mat3.determinant(mat3.fromMat4(mat3.create(), m));
}

/** The rotation of a matrix that turns, moves and scales evenly. */
export function turnOf(m: Matrix4): Quaternion {
  const [x = 0, y = 0, z = 0, w = 1] = mat4.getRotation(quat.create(), m);
  return [x, y, z, w];
}

/** The parts of a matrix that turns, moves and scales along its own axes; a shear is lost. */
export function decompose(m: Matrix4): { translation: Vector3; rotation: Quaternion; scale: Vector3 } {
  const [x = 1, y = 1, z = 1] = mat4.getScaling(vec3.create(), m);
  const mirror = determinant3(m) < 0 ? -1 : 1;
  const even = multiply(m, scaling(mirror / (x || 1), 1 / (y || 1), 1 / (z || 1)));
  return { translation: [m[12], m[13], m[14]], rotation: turnOf(even), scale: [mirror * x, y, z] };
}

/** How much larger a matrix makes things, in the mean of all directions. */
export function scaleOf(m: Matrix4): number {
  return Math.cbrt(Math.abs(determinant3(m)));
}

/** Transforms points. */
export function transformPoints(m: Matrix4, points: Float32Array): Float32Array {
  const [m0, m1, m2, , m4, m5, m6, , m8, m9, m10, , m12, m13, m14] = m;
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

/** Transforms normals by the cofactors of the upper 3 × 3 part, normalised: correct for any scaling and mirroring. */
export function transformNormals(m: Matrix4, normals: Float32Array): Float32Array {
  const upper = mat3.fromMat4(mat3.create(), m);
  const sign = mat3.determinant(upper) < 0 ? -1 : 1;
  const [c0, c1, c2, c3, c4, c5, c6, c7, c8] = cofactors(upper);
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

type Matrix3 = Extract<ReadonlyMat3, readonly number[]>;

function cofactors(m: mat3): Matrix3 {
  return mat3.transpose(mat3.create(), mat3.adjoint(mat3.create(), m)) as Matrix3;
}
