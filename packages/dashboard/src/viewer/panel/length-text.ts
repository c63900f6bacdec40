/** A length for a label: millimetres, centimetres, metres or kilometres where the unit is known. */
export function lengthText(length: number, unit: 'm' | undefined): string {
  if (unit === undefined) return tidy(length);
  if (length < 0.0095) return `${tidy(length * 1000)} mm`;
  if (length < 0.95) return `${tidy(length * 100)} cm`;
  return length < 950 ? `${tidy(length)} m` : `${tidy(length / 1000)} km`;
}

/** Three digits that matter. */
function tidy(value: number): string {
  return String(Number(value.toPrecision(3)));
}
