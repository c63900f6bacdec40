import { cornersOf, type SolidMoments, sumOfMoments, type TriangleMesh } from './solid.ts';

/** What triangles enclose, however they overlap. */
export interface Enclosed {
  /** Of what lies inside any of them, counted once. */
  readonly moments: SolidMoments;
  /** The share of lines through them that come in without going out, or the other way round: 0 for a closed surface. */
  readonly leaks: number;
}

/** Lines along each side of the box around the triangles, and at most how often they cross triangles. */
const LINES = 512;
const MAX_CROSSINGS = 2e7;

/** Follows lines along all three axes, each from where it enters to where it leaves. */
export function enclosedBy(mesh: TriangleMesh): Enclosed {
  const along = ([0, 1, 2] as const).map((axis) => enclosedAlong(mesh, axis));
  const sum = sumOfMoments(along.map(({ moments }) => moments));
  const third = (value: number) => value / 3;
  return {
    moments: {
      volume: sum.volume / 3,
      first: sum.first.map(third) as unknown as SolidMoments['first'],
      second: sum.second.map(third) as unknown as SolidMoments['second'],
    },
    leaks: Math.max(...along.map(({ leaks }) => leaks)),
  };
}

/** Where lines cross triangles: one line after the other, all of them at the places of a grid. */
interface Crossings {
  /** Where those of a line begin; one more than there are lines. */
  readonly starts: Uint32Array;
  readonly depths: Float64Array;
  /** 1 where a line comes in, −1 where it goes out. */
  readonly ways: Int8Array;
}

interface Grid {
  readonly axes: readonly [along: number, u: number, v: number];
  readonly lines: number;
  readonly low: readonly [number, number];
  readonly step: readonly [number, number];
}

function enclosedAlong(mesh: TriangleMesh, axis: 0 | 1 | 2): Enclosed {
  const grid = gridOf(mesh, [axis, (axis + 1) % 3, (axis + 2) % 3]);
  const { starts, depths, ways } = crossingsOf(mesh, grid);
  const { axes, lines, low, step } = grid;
  const [d, u, v] = axes;
  const first: number[] = [0, 0, 0];
  const second: number[] = [0, 0, 0, 0, 0, 0];
  const add = (to: number[], at: number, value: number) => {
    to[at] = (to[at] ?? 0) + value;
  };
  const area = step[0] * step[1];
  let [volume, crossed, leaking] = [0, 0, 0];
  for (let line = 0; line < lines * lines; line++) {
    const [start, end] = [starts[line] as number, starts[line + 1] as number];
    if (start === end) continue;
    crossed++;
    const order = Array.from({ length: end - start }, (_, at) => start + at).sort(
      (one, other) => (depths[one] as number) - (depths[other] as number),
    );
    if (order.reduce((sum, at) => sum + (ways[at] as number), 0) !== 0) {
      leaking++;
      continue;
    }
    const [x, y] = [
      low[0] + ((line % lines) + 0.5) * step[0],
      low[1] + (Math.floor(line / lines) + 0.5) * step[1],
    ];
    let winding = 0;
    for (const [index, at] of order.entries()) {
      winding += ways[at] as number;
      if (winding === 0) continue;
      const [from, to] = [depths[at] as number, depths[order[index + 1] as number] as number];
      const [size, half] = [area * (to - from), (area * (to * to - from * from)) / 2];
      volume += size;
      add(first, d, half);
      add(first, u, size * x);
      add(first, v, size * y);
      add(second, d, (area * (to ** 3 - from ** 3)) / 3);
      add(second, u, size * (x * x + step[0] ** 2 / 12));
      add(second, v, size * (y * y + step[1] ** 2 / 12));
      add(second, product(d, u), half * x);
      add(second, product(d, v), half * y);
      add(second, product(u, v), size * x * y);
    }
  }
  return {
    moments: { volume, first, second } as unknown as SolidMoments,
    leaks: crossed === 0 ? 1 : leaking / crossed,
  };
}

/** The place of xy, xz and yz among second moments. */
function product(one: number, other: number): number {
  return 2 + one + other;
}

function gridOf({ positions, indices }: TriangleMesh, axes: Grid['axes']): Grid {
  const [, u, v] = axes;
  const [low, high] = cornersOf({ positions, indices });
  const [lowU, lowV] = [low[u as 0], low[v as 0]];
  const [wide, tall] = [high[u as 0] - lowU, high[v as 0] - lowV];
  let covered = 0;
  for (let at = 0; at < indices.length; at += 3) {
    const [a, b, c] = [0, 1, 2].map((corner) => (indices[at + corner] as number) * 3) as [
      number,
      number,
      number,
    ];
    const side = (to: number, axis: number) =>
      (positions[to + axis] as number) - (positions[a + axis] as number);
    covered += Math.abs(side(b, u) * side(c, v) - side(b, v) * side(c, u)) / 2;
  }
  const layers = covered / (wide * tall || 1);
  const lines = Math.max(8, Math.min(LINES, Math.floor(Math.sqrt(MAX_CROSSINGS / Math.max(1, layers)))));
  return { axes, lines, low: [lowU, lowV], step: [wide / lines, tall / lines] };
}

function crossingsOf(mesh: TriangleMesh, grid: Grid): Crossings {
  const counts = new Uint32Array(grid.lines ** 2 + 1);
  eachCrossing(mesh, grid, (line) => {
    counts[line + 1] = (counts[line + 1] as number) + 1;
  });
  const starts = counts;
  for (let line = 1; line < starts.length; line++)
    starts[line] = (starts[line] as number) + (starts[line - 1] as number);
  const next = starts.slice();
  const total = starts[starts.length - 1] as number;
  const [depths, ways] = [new Float64Array(total), new Int8Array(total)];
  eachCrossing(mesh, grid, (line, depth, way) => {
    const at = next[line] as number;
    next[line] = at + 1;
    depths[at] = depth;
    ways[at] = way;
  });
  return { starts, depths, ways };
}

/** A side of a triangle belongs to one of the two triangles that share it, so that no line slips between them. */
function eachCrossing(
  { positions, indices }: TriangleMesh,
  { axes: [d, u, v], lines, low, step }: Grid,
  found: (line: number, depth: number, way: 1 | -1) => void,
): void {
  const place = (vertex: number) =>
    [
      ((positions[vertex * 3 + u] as number) - low[0]) / step[0] - 0.5,
      ((positions[vertex * 3 + v] as number) - low[1]) / step[1] - 0.5,
      positions[vertex * 3 + d] as number,
    ] as const;
  for (let at = 0; at < indices.length; at += 3) {
    const corners = [0, 1, 2].map((corner) => place(indices[at + corner] as number));
    const [a, b, c] = corners as [Corner, Corner, Corner];
    const turn = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (!(Math.abs(turn) > 0)) continue;
    const along = ((b[2] - a[2]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[2] - a[2])) / turn;
    const across = ((b[0] - a[0]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[0] - a[0])) / turn;
    const top = Math.min(lines - 1, Math.ceil(Math.max(a[1], b[1], c[1])) - 1);
    for (let row = Math.max(0, Math.ceil(Math.min(a[1], b[1], c[1]))); row <= top; row++) {
      const sides = [crossedAt(a, b, row), crossedAt(b, c, row), crossedAt(c, a, row)].filter(
        (side) => side !== undefined,
      );
      const [from = 0, to = 0] = sides.sort((one, other) => one - other);
      const last = Math.min(lines - 1, Math.ceil(to) - 1);
      for (let column = Math.max(0, Math.ceil(from)); column <= last; column++)
        found(
          row * lines + column,
          a[2] + along * (column - a[0]) + across * (row - a[1]),
          turn < 0 ? 1 : -1,
        );
    }
  }
}

type Corner = readonly [u: number, v: number, depth: number];

/** Where a side crosses a row: the same for both triangles, which have its ends in either order. */
function crossedAt(one: Corner, other: Corner, row: number): number | undefined {
  const [low, high] = one[1] < other[1] ? [one, other] : [other, one];
  if (!(low[1] <= row && row < high[1])) return undefined;
  return low[0] + ((row - low[1]) / (high[1] - low[1])) * (high[0] - low[0]);
}
