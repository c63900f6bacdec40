import type { Row } from './row.ts';

/** A row about the dashboard: a figure that may be so large at most, beside that of the prototype where there is one. */
export function dashboardRow(
  work: string,
  value: number,
  limit: number,
  unit: string,
  { prototype = '', digits = 0, note = '' }: { prototype?: string; digits?: number; note?: string } = {},
): Row {
  return {
    work: `dashboard, ${work}`,
    bindery: `${value.toFixed(digits)} ${unit}${note && ` (${note})`}`,
    peer: prototype && `prototype ${prototype}`,
    ratio: '',
    target: `at most ${limit} ${unit}`,
    met: value <= limit,
  };
}
