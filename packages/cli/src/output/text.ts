import { stripVTControlCharacters } from 'node:util';

const KIB = 1024;
const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'];

/** Bytes for people: `812 B`, `1.4 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`;
  let value = bytes;
  let unit = -1;
  while (value >= KIB && unit < UNITS.length - 1) {
    value /= KIB;
    unit++;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

/** Enough of a hash for people to compare; `--json` has the whole. */
export function shortHash(sha256: string): string {
  return sha256.slice(0, 12);
}

/** The same for a digest, with its `sha256:`. */
export function shortDigest(digest: string): string {
  const [algorithm = '', sha256 = ''] = digest.split(':');
  return `${algorithm}:${shortHash(sha256)}`;
}

/** `1 file`, `2 files`, `1,204 files`. */
export function formatCount(number: number, one: string, many = `${one}s`): string {
  return `${formatNumber(number)} ${number === 1 ? one : many}`;
}

/** `3 files (4.0 MiB)`. */
export function formatFiles({ files, bytes }: { files: number; bytes: number }): string {
  return `${formatCount(files, 'file')} (${formatBytes(bytes)})`;
}

/** Names what is counted once, and leaves out what there is none of: `1 asset added, 2 changed`; empty for nothing. */
export function formatParts(
  one: string,
  parts: readonly (readonly [number: number, what: string])[],
): string {
  return parts
    .filter(([number]) => number > 0)
    .map(([number, what], at) => `${at === 0 ? formatCount(number, one) : formatNumber(number)} ${what}`)
    .join(', ');
}

/** An integer with thousands separators. Node's own formatting would load the data of all languages first. */
export function formatNumber(integer: number): string {
  return String(integer).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Seconds for people: `4 s`, `2 min 05 s`, `1 h 02 min`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const pad = (part: number) => String(part).padStart(2, '0');
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${pad(whole % 60)} s`;
  return `${Math.floor(whole / 3_600)} h ${pad(Math.floor((whole % 3_600) / 60))} min`;
}

/** Text by others on one line, without characters that control the terminal or reorder the line. */
export function sanitizeLine(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/\p{Bidi_Control}/gu, '');
}

/** The same for a text of several lines. */
export function sanitizeLines(text: string): string {
  return text.split('\n').map(sanitizeLine).join('\n');
}
