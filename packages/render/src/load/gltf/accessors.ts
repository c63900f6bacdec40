import { type Accessor, MathUtils } from '@gltf-transform/core';

/** The elements of an accessor as floats, normalised integers as fractions. */
export function floatsOf(accessor: Accessor): Float32Array {
  const values = accessor.getArray() ?? new Float32Array();
  if (values instanceof Float32Array) return values;
  if (!accessor.getNormalized()) return Float32Array.from(values);
  const type = accessor.getComponentType();
  return Float32Array.from(values as ArrayLike<number>, (value) =>
    MathUtils.decodeNormalizedInt(value, type),
  );
}

/** The elements as floats; undefined without an accessor, or if it has another width or fewer than `count` elements. */
export function column(accessor: Accessor | null, width: number, count: number): Float32Array | undefined {
  const fits = accessor?.getElementSize() === width && accessor.getCount() >= count;
  return fits ? floatsOf(accessor) : undefined;
}
