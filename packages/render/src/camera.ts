import { boxOfPlaced, centreOf, longestSide, placedIn } from '@bindery/formats/model/bounds';
import { IDENTITY, type Matrix4, multiply, translation, type Vector3 } from '@bindery/formats/model/matrix';
import type { Front, Scene } from '@bindery/formats/model/scene';

/** A perspective camera in front of everything it frames: nothing is ever behind it. */
export interface Camera {
  /** Unit axes of the picture in the drawing frame: to the right, up, and towards the viewer. */
  readonly right: Vector3;
  readonly up: Vector3;
  readonly back: Vector3;
  /** Where the eye is, along the three axes. */
  readonly eye: Vector3;
  /** Tangent of half the field of view. */
  readonly slope: number;
}

const AZIMUTH = (35 * Math.PI) / 180;
const ELEVATION = (22 * Math.PI) / 180;
/** Half the angle, in radians, that the shorter side of a picture shows. */
export const HALF_FIELD_OF_VIEW = (14 * Math.PI) / 180;
/** The share of half the picture that the model can fill. */
const FILL = 0.9;

/** The three-quarter view, from the front right and above, that fits all the points. */
export function frameThreeQuarter(points: Iterable<Float32Array>): Camera {
  return frame(points, AZIMUTH, ELEVATION);
}

/**
 * The camera that looks from `azimuth` (radians from Z towards X) and `elevation` and fits all points.
 * In camera axes a point (x, y, z) lies inside the right edge when x − eyeX ≤ (eyeZ − z)·t, so the largest
 * x + t·z of all points decides that edge; likewise the other three.
 */
function frame(points: Iterable<Float32Array>, azimuth: number, elevation: number): Camera {
  const [sa, ca, se, ce] = [Math.sin(azimuth), Math.cos(azimuth), Math.sin(elevation), Math.cos(elevation)];
  const right: Vector3 = [ca, 0, -sa];
  const up: Vector3 = [-sa * se, ce, -ca * se];
  const back: Vector3 = [sa * ce, se, ca * ce];
  const slope = Math.tan(HALF_FIELD_OF_VIEW);
  const t = slope * FILL;

  const views = [...points].map((positions) => toAxes(positions, right, up, back));
  let east = -Infinity;
  let west = -Infinity;
  let north = -Infinity;
  let south = -Infinity;
  let near = -Infinity;
  let far = Infinity;
  for (const view of views) {
    for (let i = 0; i < view.length; i += 3) {
      const x = view[i] as number;
      const y = view[i + 1] as number;
      const z = view[i + 2] as number;
      const reach = t * z;
      if (reach + x > east) east = reach + x;
      if (reach - x > west) west = reach - x;
      if (reach + y > north) north = reach + y;
      if (reach - y > south) south = reach - y;
      if (z > near) near = z;
      if (z < far) far = z;
    }
  }
  const fitted = Math.max((east + west) / (2 * t), (north + south) / (2 * t));
  const extent = Math.max(near - far, fitted - near, 1e-6);
  const distance = Math.max(fitted, near + extent * 0.05);
  return {
    right,
    up,
    back,
    slope,
    eye: [
      centred(views, 0, distance, (east - west) / 2),
      centred(views, 1, distance, (north - south) / 2),
      distance,
    ],
  };
}

/** Shifts the eye along one axis until the picture of the points has equal margins on both sides. */
function centred(views: readonly Float32Array[], axis: 0 | 1, distance: number, start: number): number {
  let eye = start;
  for (let round = 0; round < 4; round++) {
    let low = Infinity;
    let high = -Infinity;
    let lowDepth = 1;
    let highDepth = 1;
    for (const view of views) {
      for (let i = 0; i < view.length; i += 3) {
        const depth = distance - (view[i + 2] as number);
        const seen = ((view[i + axis] as number) - eye) / depth;
        if (seen < low) {
          low = seen;
          lowDepth = depth;
        }
        if (seen > high) {
          high = seen;
          highDepth = depth;
        }
      }
    }
    if (!(high >= low)) return start;
    eye += (low + high) / (1 / lowDepth + 1 / highDepth);
  }
  return eye;
}

/** Coordinates of points along three axes. */
export function toAxes(positions: Float32Array, right: Vector3, up: Vector3, back: Vector3): Float32Array {
  const out = new Float32Array(positions.length);
  const [rx, ry, rz] = right;
  const [ux, uy, uz] = up;
  const [bx, by, bz] = back;
  for (let i = 0; i + 2 < positions.length; i += 3) {
    const x = positions[i] as number;
    const y = positions[i + 1] as number;
    const z = positions[i + 2] as number;
    out[i] = rx * x + ry * y + rz * z;
    out[i + 1] = ux * x + uy * y + uz * z;
    out[i + 2] = bx * x + by * y + bz * z;
  }
  return out;
}

/** Screen x, y (in samples, y down) and 1/depth per vertex. */
export function project(camera: Camera, positions: Float32Array, size: number): Float32Array {
  const out = toAxes(positions, camera.right, camera.up, camera.back);
  const [ex, ey, ez] = camera.eye;
  const half = size / 2;
  for (let i = 0; i + 2 < out.length; i += 3) {
    const inverse = 1 / (ez - (out[i + 2] as number));
    const scale = (half * inverse) / camera.slope;
    out[i] = half + ((out[i] as number) - ex) * scale;
    out[i + 1] = half - ((out[i + 1] as number) - ey) * scale;
    out[i + 2] = inverse;
  }
  return out;
}

/** The eye in the drawing frame. */
export function eyePosition(camera: Camera): Vector3 {
  const { right, up, back, eye } = camera;
  const along = (axis: 0 | 1 | 2) => right[axis] * eye[0] + up[axis] * eye[1] + back[axis] * eye[2];
  return [along(0), along(1), along(2)];
}

/** From a Z-up frame to the drawing frame, Y up, with its front facing along Z, towards the viewer. */
const TURNS: Readonly<Record<Front, Matrix4>> = {
  x: [0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1],
  '-x': [0, 0, -1, 0, -1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1],
  y: [-1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1],
  '-y': [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1],
};

/** At this many times its size from the origin, a model would lose its shape to the rounding of 32-bit floats. */
const FAR = 1_000;

/** From the frame of a scene to the drawing frame; a scene far from its origin is moved to it. */
export function drawingFrame(scene: Scene): Matrix4 {
  const turn = scene.up === 'z' ? TURNS[scene.front ?? 'x'] : IDENTITY;
  const bounds = boxOfPlaced(placedIn(scene));
  const centre = centreOf(bounds);
  const isFar = Math.hypot(...centre) > FAR * longestSide(bounds);
  return isFar ? multiply(turn, translation(-centre[0], -centre[1], -centre[2])) : turn;
}
