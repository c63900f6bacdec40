import { isVrmlNode, type VrmlNode, type VrmlValue } from './nodes.ts';

export function valuesOf(node: VrmlNode | undefined, field: string): readonly VrmlValue[] {
  return node?.fields.get(field) ?? [];
}

export function nodeIn(node: VrmlNode | undefined, field: string): VrmlNode | undefined {
  return valuesOf(node, field).find(isVrmlNode);
}

/** The numbers of a field, or `otherwise` where they are missing or not finite. */
export function vectorIn<Vector extends readonly number[]>(
  node: VrmlNode | undefined,
  field: string,
  otherwise: Vector,
): Vector {
  const values = valuesOf(node, field);
  return otherwise.map((value, at) => {
    const given = values[at];
    return typeof given === 'number' && Number.isFinite(given) ? given : value;
  }) as unknown as Vector;
}

export function numberIn(node: VrmlNode | undefined, field: string, otherwise: number): number {
  return vectorIn(node, field, [otherwise] as const)[0];
}

/** Whether a field is `TRUE`, or not given. */
export function isSet(node: VrmlNode | undefined, field: string): boolean {
  const [value] = valuesOf(node, field);
  return typeof value === 'object' && 'word' in value ? /^true$/i.test(value.word) : true;
}

/** A list of numbers; what is none becomes NaN. */
export function numbersOf(node: VrmlNode | undefined, field: string): Float64Array {
  return Float64Array.from(valuesOf(node, field), (value) =>
    typeof value === 'number' ? value : Number.NaN,
  );
}
