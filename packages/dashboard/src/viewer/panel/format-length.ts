/** Formats a length in millimetres, centimetres, metres or kilometres; without a unit if it is unknown. */
export function formatLength(length: number, unit: 'm' | undefined): string {
  if (unit === undefined) return tidy(length);
  if (length < 0.0095) return `${tidy(length * 1000)} mm`;
  if (length < 0.95) return `${tidy(length * 100)} cm`;
  return length < 950 ? `${tidy(length)} m` : `${tidy(length / 1000)} km`;
}

/** Rounds to three significant digits. */
function tidy(value: number): string {
  return String(Number(value.toPrecision(3)));
}
