/**
 * Fills `out` with the numbers of a list and returns how many it read. A word that is not a number is read as 0, so
 * that the following ones keep their positions.
 */
export function readNumbers(text: string, out: Float32Array | Float64Array | Int32Array): number {
  let count = 0;
  for (let at = 0; at < text.length && count < out.length; ) {
    while (isSpace(text, at)) at++;
    let end = at;
    while (end < text.length && !isSpace(text, end)) end++;
    if (end > at) {
      const value = Number(text.slice(at, end));
      out[count++] = Number.isFinite(value) ? value : 0;
    }
    at = end;
  }
  return count;
}

/** Upper bound for the numbers in a list: each takes a character, and one more to separate it from the next. */
export function mostNumbers(text: string): number {
  return (text.length + 1) >> 1;
}

/** The first numbers of a list, filled up from `fallback` if it is shorter. */
export function firstNumbers<T extends readonly number[]>(
  text: string | undefined,
  fallback: T,
): { [K in keyof T]: number } {
  const out = new Float64Array(fallback.length);
  const count = readNumbers(text ?? '', out);
  return fallback.map((value, index) => (index < count ? out[index] : value)) as { [K in keyof T]: number };
}

function isSpace(text: string, at: number): boolean {
  return text.charCodeAt(at) <= 32;
}
