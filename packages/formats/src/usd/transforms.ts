import {
  compose,
  IDENTITY,
  inverse,
  type Matrix4,
  multiply,
  rotation,
  scaling,
  translation,
  type Vector3,
  Y_UP_TO_Z_UP,
} from '../model/matrix.ts';
import type { UsdStage } from './stage/stage.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import type { UsdValue } from './stage/values.ts';
import { numberOf, numbersOf, textsOf, vectorOf } from './values.ts';

const INVERT = '!invert!';
const RESET = '!resetXformStack!';
const AXES = { X: [1, 0, 0], Y: [0, 1, 0], Z: [0, 0, 1] } as const;

/** The transform of a prim to its parent's frame, or to the frame of the stage if it `resets` what is above it. */
export interface LocalTransform {
  readonly matrix: Matrix4;
  readonly resets: boolean;
}

export function localTransform(prim: UsdPrim): LocalTransform {
  let matrix = IDENTITY;
  let resets = false;
  for (const written of textsOf(prim.value('xformOpOrder'))) {
    if (written === RESET) {
      matrix = IDENTITY;
      resets = true;
      continue;
    }
    const isInverted = written.startsWith(INVERT);
    const name = isInverted ? written.slice(INVERT.length) : written;
    const step = operation(name, prim.value(name));
    matrix = multiply(matrix, isInverted ? inverse(step) : step);
  }
  return { matrix: matrix.every(Number.isFinite) ? matrix : IDENTITY, resets };
}

/** From the frame of a prim to that of the stage. */
export function worldTransform(prim: UsdPrim): Matrix4 {
  const { matrix, resets } = localTransform(prim);
  return resets || prim.parent === undefined ? matrix : multiply(worldTransform(prim.parent), matrix);
}

/** From the frame of a stage to one with Z up, in metres. */
export function stageFrame({ up, metersPerUnit }: UsdStage): Matrix4 {
  const scale = scaling(metersPerUnit, metersPerUnit, metersPerUnit);
  return up === 'y' ? multiply(Y_UP_TO_Z_UP, scale) : scale;
}

/** A frame without its scale. */
export function rigid(matrix: Matrix4): Matrix4 {
  const lengths = scalesOf(matrix);
  return matrix.map((value, at) =>
    at < 12 && at % 4 < 3 ? value / (lengths[at >> 2] || 1) : value,
  ) as unknown as Matrix4;
}

/** How long the axes of a frame are. */
export function scalesOf(matrix: Matrix4): Vector3 {
  const along = (at: number) => Math.hypot(...matrix.slice(at, at + 3));
  return [along(0), along(4), along(8)];
}

function operation(name: string, value: UsdValue | undefined): Matrix4 {
  const [, kind = '', axes = ''] =
    /^xformOp:(translate|scale|rotate|orient|transform)([XYZ]*)(?::|$)/.exec(name) ?? [];
  switch (kind) {
    case 'transform':
      return matrixOf(value) ?? IDENTITY;
    case 'orient':
      return compose([0, 0, 0], quaternionOf(numbersOf(value) ?? [], 0), [1, 1, 1]);
    case 'translate':
    case 'scale': {
      const vector = along(axes, value, kind === 'scale' ? 1 : 0);
      return vector === undefined ? IDENTITY : kind === 'scale' ? scaling(...vector) : translation(...vector);
    }
    case 'rotate': {
      const angles = axes.length === 1 ? [numberOf(value) ?? 0] : (vectorOf(value) ?? []);
      const turns = [...axes].map((axis) => {
        const degrees = axes.length === 1 ? angles[0] : angles['XYZ'.indexOf(axis)];
        return rotation(AXES[axis as 'X'], ((degrees ?? 0) * Math.PI) / 180);
      });
      // The first of the axes is applied first.
      return turns.reduce((matrix, turn) => multiply(turn, matrix), IDENTITY);
    }
    default:
      return IDENTITY;
  }
}

/** A vector, or one part of it for operations along one axis. */
function along(axes: string, value: UsdValue | undefined, others: number): Vector3 | undefined {
  const axis = 'XYZ'.indexOf(axes);
  if (axes === '') return vectorOf(value);
  const vector: [number, number, number] = [others, others, others];
  vector[axis] = numberOf(value) ?? others;
  return vector;
}

/** USD has row vectors and writes matrices by rows, which is how column vectors with columns are stored. */
export function matrixOf(value: UsdValue | undefined): Matrix4 | undefined {
  const numbers = numbersOf(value);
  return numbers?.length === 16 ? matrixAt(numbers, 0) : undefined;
}

export function matrixAt(numbers: ArrayLike<number>, index: number): Matrix4 {
  return Array.from({ length: 16 }, (_, at) => numbers[index * 16 + at] ?? 0) as unknown as Matrix4;
}

/** Quaternions of USD begin with their real part. Returns x, y, z, w, of length 1. */
export function quaternionOf(
  numbers: ArrayLike<number>,
  index: number,
): readonly [number, number, number, number] {
  const [w = 1, x = 0, y = 0, z = 0] = [0, 1, 2, 3].map((at) => numbers[index * 4 + at]);
  const length = Math.hypot(x, y, z, w);
  return length > 0 ? [x / length, y / length, z / length, w / length] : [0, 0, 0, 1];
}
