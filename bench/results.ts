/** `BINDERY_BENCH_SCALE=0.1` measures with a tenth of the data, to see whether a benchmark runs. */
export const scaled = (count: number) =>
  Math.max(1, Math.round(count * Number(process.env.BINDERY_BENCH_SCALE ?? 1)));

/** One row of the table: a measurement, which may be compared with a peer. */
export interface BenchmarkRow {
  work: string;
  bindery: string;
  /** The peer and its value. */
  peer?: string;
  /** Bindery relative to the peer. */
  ratio?: string;
  target: string;
  /** Null if it could not be judged because the peer is not installed. */
  met: boolean | null;
}

/** A row whose value has an upper limit. */
export function limitRow(work: string, value: number, limit: number, unit: string, digits = 0): BenchmarkRow {
  return {
    work,
    bindery: `${value.toFixed(digits)} ${unit}`,
    target: `${limit} ${unit}`,
    met: value <= limit,
  };
}

/** A row compared with a peer: what the ratio is called, and the least or the most that it may be. */
export function ratioRow(
  { work, bindery, peer }: { work: string; bindery: string; peer: string },
  ratio: number,
  { least, most, unit = '×', digits = 2 }: { least?: number; most?: number; unit?: string; digits?: number },
): BenchmarkRow {
  const target = most === undefined ? `${least} ${unit}` : `at most ${most} ${unit}`;
  const met = ratio >= (least ?? Number.NEGATIVE_INFINITY) && ratio <= (most ?? Number.POSITIVE_INFINITY);
  return { work, bindery, peer, ratio: `${ratio.toFixed(digits)} ${unit}`, target, met };
}

/** Formats the rows as a Markdown table, aligned for reading in a terminal. */
export function table(rows: readonly BenchmarkRow[]): string {
  const cells = [
    ['Work', 'Bindery', 'Beside', 'Ratio', 'Target', ''],
    ...rows.map(({ work, bindery, peer = '', ratio = '', target, met }) => {
      return [work, bindery, peer, ratio, target, met === null ? 'not judged' : met ? 'met' : 'MISSED'];
    }),
  ];
  const widths = (cells[0] ?? []).map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  const lines = cells.map(
    (line) => `| ${line.map((text, at) => text.padEnd(widths[at] ?? 0)).join(' | ')} |`,
  );
  lines.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  return lines.join('\n');
}

/** The value below which the given share of the values are. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]) => quantile(values, 0.5);

/** Milliseconds that the work took. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Measures several times, one after another. */
export async function repeated(times: number, measure: (time: number) => number | Promise<number>) {
  const values: number[] = [];
  for (let time = 0; time < times; time++) values.push(await measure(time));
  return values;
}

/** Seconds that the work took. */
export function secondsOf(work: () => void): number {
  const start = performance.now();
  work();
  return (performance.now() - start) / 1_000;
}
