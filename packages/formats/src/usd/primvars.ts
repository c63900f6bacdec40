import type { UsdPrim } from './stage/stage-prim.ts';
import { integers, numbersOf, textOf, withAncestors } from './values.ts';

/** For what a primvar has values: everything, each face, each point, each corner of a face. */
export type Interpolation = 'constant' | 'uniform' | 'vertex' | 'faceVarying';

/** Values of a surface. */
export interface Primvar {
  readonly values: ArrayLike<number>;
  /** Numbers of each value. */
  readonly width: number;
  readonly interpolation: Interpolation;
  /** Which value each element has, if values are shared. */
  readonly indices: Int32Array | undefined;
}

/** How many faces, points and corners a surface has. */
export interface Extent {
  readonly faces: number;
  readonly points: number;
  readonly corners: number;
}

/** Reads a primvar of a prim, or a constant one of a prim above it; undefined if it does not fit the surface. */
export function readPrimvar(
  prim: UsdPrim,
  attribute: string,
  width: number,
  extent: Extent,
): Primvar | undefined {
  for (const owner of withAncestors(prim)) {
    const values = numbersOf(owner.value(attribute));
    if (values === undefined || values.length < width) continue;
    const written = textOf(owner.metadata('interpolation', attribute)) ?? 'constant';
    if (owner !== prim && written !== 'constant') return undefined;
    const found = numbersOf(owner.value(`${attribute}:indices`));
    const indices = found && found.length > 0 ? integers(found) : undefined;
    const rows = indices?.length ?? Math.floor(values.length / width);
    const interpolation = fitting(written, rows, extent);
    return interpolation && { values, width, interpolation, indices };
  }
  return undefined;
}

function fitting(written: string, rows: number, extent: Extent): Interpolation | undefined {
  const named = written === 'varying' ? 'vertex' : (written as Interpolation);
  const needed = { constant: 1, uniform: extent.faces, vertex: extent.points, faceVarying: extent.corners };
  if (rows >= (needed[named] ?? Infinity)) return named;
  // Many files leave out the interpolation, or mean another.
  const others = ['faceVarying', 'vertex', 'uniform', 'constant'] as const;
  return others.find((one) => needed[one] === rows) ?? (rows >= 1 ? 'constant' : undefined);
}
