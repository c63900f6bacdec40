const LOCALE = 'en';
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

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

/** Bytes with a unit, as the command line writes them: `3.6 MiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  const digits = unit === 0 || value >= 10 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

export function formatTime(timestamp: string): string {
  return time.format(new Date(timestamp));
}

/** To the second, with the time zone, so that log lines can be compared with those of other logs. */
export function formatExactTime(timestamp: string): string {
  return exactTime.format(new Date(timestamp));
}

export function formatDate(timestamp: string): string {
  return date.format(new Date(timestamp));
}
