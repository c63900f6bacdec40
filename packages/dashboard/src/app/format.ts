const LOCALE = 'en';

const wholeNumber = new Intl.NumberFormat(LOCALE);
const time = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });
const exactTime = new Intl.DateTimeFormat(LOCALE, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});
const date = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' });

export function formatCount(count: number): string {
  return wholeNumber.format(count);
}

/** `a · b · c`, without those that are missing. */
export function dotted(...parts: readonly (string | false | null | undefined)[]): string {
  return parts.filter(Boolean).join(' · ');
}

/** `1 asset`, `2 assets`. */
export function counted(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `2 assets changed, 1 removed`; null if all counts are 0. */
export function formatChanges(
  counts: readonly [number, number, number],
  one: string,
  many: string,
): string | null {
  const said = (['added', 'changed', 'removed'] as const)
    .map((change, at) => ({ change, count: counts[at] ?? 0 }))
    .filter(({ count }) => count > 0)
    .map(({ change, count }, at) => `${at === 0 ? counted(count, one, many) : formatCount(count)} ${change}`);
  return said.length === 0 ? null : said.join(', ');
}

/** What people call the format of an asset: `MJCF`, `glTF (GLB)`, `Splat (PLY)`; its kind if it has none. */
export function formatName({ kind, format }: { kind: string; format?: string | null }): string {
  if (kind === 'mjcf' || kind === 'urdf' || kind === 'sdf') return kind.toUpperCase();
  const named = format && (FORMAT_NAMES.get(format) ?? format.toUpperCase());
  const titled = kind.charAt(0).toUpperCase() + kind.slice(1);
  return named && kind === 'splat' ? `${titled} (${named})` : named || titled;
}

const FORMAT_NAMES: ReadonlyMap<string, string> = new Map([
  ['glb', 'glTF (GLB)'],
  ['gltf', 'glTF'],
  ['dae', 'COLLADA'],
]);

export function formatTime(timestamp: string): string {
  return time.format(new Date(timestamp));
}

/** To the second, with the time zone, so that log lines can be compared with those of other logs. */
export function formatExactTime(timestamp: string): string {
  return exactTime.format(new Date(timestamp));
}

const ago = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto', style: 'short' });
const SPANS = [
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
] as const;

/** How long ago something was, in words, up to a month; then its date. */
export function formatAgo(timestamp: string): string {
  const seconds = (Date.now() - Date.parse(timestamp)) / 1000;
  if (seconds < 60) return 'just now';
  if (seconds > 30 * 86_400) return formatDate(timestamp);
  const [unit, length] = SPANS.findLast(([, from]) => seconds >= from) ?? SPANS[0];
  return ago.format(-Math.floor(seconds / length), unit);
}

export function formatDate(timestamp: string): string {
  return date.format(new Date(timestamp));
}
