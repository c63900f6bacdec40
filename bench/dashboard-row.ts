import type { BenchmarkRow } from './results-table.ts';

/** A row about the dashboard: a value with an upper limit, and the prototype's value if there is one. */
export function dashboardRow(
  work: string,
  value: number,
  limit: number,
  unit: string,
  { prototype = '', digits = 0, note = '' }: { prototype?: string; digits?: number; note?: string } = {},
): BenchmarkRow {
  return {
    work: `dashboard, ${work}`,
    bindery: `${value.toFixed(digits)} ${unit}${note && ` (${note})`}`,
    peer: prototype && `prototype ${prototype}`,
    ratio: '',
    target: `at most ${limit} ${unit}`,
    met: value <= limit,
  };
}
