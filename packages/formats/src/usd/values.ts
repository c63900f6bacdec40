import type { UsdPrim } from './stage/stage-prim.ts';
import type { UsdValue } from './stage/values.ts';

/** Reads values whose types a file only claims. */
export function numbersOf(value: UsdValue | undefined): ArrayLike<number> | undefined {
  if (typeof value === 'number') return [value];
  if (ArrayBuffer.isView(value)) return value as Float32Array;
  if (Array.isArray(value) && value.every((one) => typeof one === 'number')) return value as number[];
  return undefined;
}

export function numberOf(value: UsdValue | undefined): number | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0;
  const number = numbersOf(value)?.[0];
  return number !== undefined && Number.isFinite(number) ? number : undefined;
}

export function vectorOf(value: UsdValue | undefined): readonly [number, number, number] | undefined {
  const numbers = numbersOf(value);
  if (numbers === undefined || numbers.length < 3) return undefined;
  return [numbers[0] as number, numbers[1] as number, numbers[2] as number];
}

export function textOf(value: UsdValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function textsOf(value: UsdValue | undefined): readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? (value as string[]) : [];
}

export function floats(values: ArrayLike<number>): Float32Array {
  return values instanceof Float32Array ? values : Float32Array.from(values);
}

/** Whole numbers; those that are none are −1, which is no index. */
export function integers(values: ArrayLike<number>): Int32Array {
  return values instanceof Int32Array
    ? values
    : Int32Array.from(values, (value) => (Number.isInteger(value) ? value : -1));
}

/** The prim and those above it, from the inside. */
export function* withAncestors(prim: UsdPrim): Generator<UsdPrim> {
  for (let one: UsdPrim | undefined = prim; one !== undefined; one = one.parent) yield one;
}
