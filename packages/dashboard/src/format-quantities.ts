/** Formats a length in millimetres, centimetres, metres or kilometres; without a unit if it is unknown. */
export function formatLength(length: number, unit: 'm' | undefined): string {
  return formatSize([length], unit);
}

/** Formats the sides of a box in one unit, which suits the longest: `1.2 × 0.4 × 0.012 m`. */
export function formatSize(sides: readonly number[], unit: 'm' | undefined): string {
  if (unit === undefined) return sides.map(tidy).join(' × ');
  const longest = Math.max(...sides);
  const [scale, name] = UNITS.find(([, , below]) => longest < below) ?? [0.001, 'km'];
  return `${sides.map((side) => tidy(side * scale)).join(' × ')} ${name}`;
}

/** Units with their number in a metre, and the length in metres from which the next one is better. */
const UNITS = [
  [1000, 'mm', 0.0095],
  [100, 'cm', 0.95],
  [1, 'm', 950],
] as const;

/** Rounds to three significant digits. */
function tidy(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** Formats a mass in grams or kilograms. */
export function formatMass(kilograms: number): string {
  return kilograms < 0.95
    ? `${Number((kilograms * 1000).toPrecision(3))} g`
    : `${Number(kilograms.toPrecision(4))} kg`;
}

export function bytesOf(files: readonly { readonly size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

/** Bytes with a unit, as the command line writes them: `3.6 MiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  const digits = unit === 0 || value >= 10 ? 0 : 1;
  return `${value.toFixed(digits)} ${BYTE_UNITS[unit]}`;
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
