import type { Image } from '@bindery/formats/model/scene';

/** Cells along the longer side of a picture: enough for an outline, and few enough to compare each with the border. */
const SIDE = 96;
/** Of a cell: brightness, red against green, yellow against blue, and how uneven it is. */
const FEATURES = 4;
const COLORS = 3;
/** Cells along each edge that show the background. */
const BORDER = 2;
/** What the square of a distance in cells counts as, beside squares of differences in steps of a channel. */
const APART = 0.05;
/** Cells that are as near as this look the same for being one thing. */
const OWN = 4;
/** A border of a single colour varies as much as this, by noise and compression. */
const NOISE = 6;
/** This many times as unlike the border as that is itself, a cell is as likely figure as background. */
const UNLIKE = 2;
const SWEEPS = 10;
/** How much a cell follows one next to it of the same colour, as a difference of log odds. */
const HOLD = 2;
/** What the border and the colours say of a cell is not independent: the weight of each. */
const EACH = 0.6;
/** Log odds beyond this are certain. */
const CERTAIN = 4;
/** A share of the largest piece of a figure, below which another is none of it. */
const SMALLEST_PIECE = 0.15;
/** The share of a picture that a figure has at least. */
const SMALLEST_FIGURE = 1 / 200;
/** How many times as much as cells of the background those on both sides of an outline differ. */
const LEAST_CONTRAST = 2;

interface Cells {
  readonly width: number;
  readonly height: number;
  /** Its side in pixels. */
  readonly size: number;
  /** `FEATURES` per cell. */
  readonly features: Float32Array;
}

/**
 * Tells the thing that a picture is of from its background, whatever pattern that has: what is unlike the border near
 * it, has colours that the background lacks, and ends where colours change. Undefined if nothing does.
 */
export function figureCells(picture: Image, step: number): ((x: number, y: number) => boolean) | undefined {
  const cells = cellsOf(picture, step);
  const { width, height, size } = cells;
  const unlike = unlikeBorder(cells);
  const holds = holdsOf(cells);
  const shares = unlike.map(shareOf);
  relax(cells, shares, { ...holds, odds: unlike });
  const colored = colorOdds(colorKeys(cells), shares);
  relax(cells, shares, {
    ...holds,
    odds: unlike.map((odds, at) => EACH * (odds + (colored[at] as number))),
  });
  const figure = largestPieces(cells, shares);
  if (!standsOut(cells, figure)) return undefined;
  const within = (at: number, count: number) => Math.min(count - 1, Math.floor(at / size));
  return (x, y) => figure[within(y, height) * width + within(x, width)] === 1;
}

function cellsOf(picture: Image, step: number): Cells {
  const { data } = picture;
  const size = Math.max(step, Math.max(picture.width, picture.height) / SIDE);
  const width = Math.max(1, Math.floor(picture.width / size));
  const height = Math.max(1, Math.floor(picture.height / size));
  const counts = new Float32Array(width * height);
  const features = new Float32Array(width * height * FEATURES);
  const add = (at: number, value: number) => {
    (features[at] as number) += value;
  };
  for (let y = 0; y < picture.height; y += step) {
    const row = Math.min(height - 1, Math.floor(y / size)) * width;
    for (let x = 0; x < picture.width; x += step) {
      const cell = row + Math.min(width - 1, Math.floor(x / size));
      const at = (y * picture.width + x) * 4;
      const [r, g, b] = [data[at] as number, data[at + 1] as number, data[at + 2] as number];
      const brightness = (r + 2 * g + b) / 4;
      (counts[cell] as number)++;
      for (const [feature, value] of [brightness, r - g, (r + g) / 2 - b, brightness ** 2].entries())
        add(cell * FEATURES + feature, value);
    }
  }
  for (let at = 0; at < features.length; at++)
    (features[at] as number) /= counts[Math.floor(at / FEATURES)] as number;
  for (let at = 0; at < features.length; at += FEATURES)
    features[at + 3] =
      Math.sqrt(Math.max(0, (features[at + 3] as number) - (features[at] as number) ** 2)) / 2;
  return { width, height, size, features };
}

function squareOf({ features }: Cells, a: number, b: number, count: number): number {
  let square = 0;
  for (let at = 0; at < count; at++)
    square += ((features[a * FEATURES + at] as number) - (features[b * FEATURES + at] as number)) ** 2;
  return square;
}

/** The log odds that each cell is none of the background, by the cell of the border that is most like it. */
function unlikeBorder(cells: Cells): Float32Array {
  const { width, height } = cells;
  const all = Array.from({ length: width * height }, (_, cell) => cell);
  const border = all.filter((cell) => {
    const [x, y] = [cell % width, Math.floor(cell / width)];
    const isOuter = Math.min(x, y, width - 1 - x, height - 1 - y) < BORDER;
    return isOuter && (x + y) % 2 === 0;
  });
  const columns = border.map((cell) => cell % width);
  const rows = border.map((cell) => Math.floor(cell / width));
  const differenceOf = (cell: number, own: number) => {
    const [x, y] = [cell % width, Math.floor(cell / width)];
    let least = Infinity;
    for (let at = 0; at < border.length; at++) {
      const apart = (x - (columns[at] as number)) ** 2 + (y - (rows[at] as number)) ** 2;
      if (apart < own) continue;
      least = Math.min(least, APART * apart + squareOf(cells, cell, border[at] as number, FEATURES));
    }
    return Math.sqrt(least);
  };
  const usual = border.map((cell) => differenceOf(cell, OWN ** 2)).toSorted((a, b) => a - b);
  const scale = Math.max(NOISE, usual[Math.floor(usual.length * 0.75)] ?? 0);
  return Float32Array.from(all, (cell) => certainly(2 * (differenceOf(cell, 0) / scale - UNLIKE)));
}

function certainly(odds: number): number {
  return Math.min(CERTAIN, Math.max(-CERTAIN, odds));
}

function shareOf(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}

/** How much each cell and the next to the right, or the next below, follow each other. */
interface Holds {
  readonly across: Float32Array;
  readonly down: Float32Array;
}

function holdsOf(cells: Cells): Holds {
  const { width, height } = cells;
  const [across, down] = [new Float32Array(width * height), new Float32Array(width * height)];
  let [sum, count] = [0, 0];
  for (let cell = 0; cell < width * height; cell++) {
    across[cell] = cell % width === width - 1 ? Infinity : squareOf(cells, cell, cell + 1, COLORS);
    down[cell] = cell + width >= width * height ? Infinity : squareOf(cells, cell, cell + width, COLORS);
    for (const square of [across[cell] as number, down[cell] as number]) {
      if (square === Infinity) continue;
      sum += square;
      count++;
    }
  }
  const usual = Math.max(NOISE ** 2, sum / Math.max(1, count));
  const hold = (square: number) => HOLD * Math.exp(-square / (2 * usual));
  return { across: across.map(hold), down: down.map(hold) };
}

/** Lets the share of figure in every cell follow its odds and its neighbours, in both directions in turn. */
function relax(
  { width, height }: Cells,
  shares: Float32Array,
  { odds, across, down }: Holds & { odds: Float32Array },
): void {
  const count = width * height;
  const pull = (hold: number | undefined, cell: number) => (hold ?? 0) * (2 * (shares[cell] ?? 0) - 1);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let at = 0; at < count; at++) {
      const cell = sweep % 2 === 0 ? at : count - 1 - at;
      // The last cell of a row, and those of the last row, hold nothing.
      const pulls =
        pull(across[cell - 1], cell - 1) +
        pull(across[cell], cell + 1) +
        pull(down[cell - width], cell - width) +
        pull(down[cell], cell + width);
      shares[cell] = shareOf((odds[cell] as number) + pulls);
    }
  }
}

const STEPS = 8;

function colorKeys({ features }: Cells): Int32Array {
  const step = (at: number, from: number) =>
    Math.min(STEPS - 1, Math.max(0, Math.floor(((features[at] as number) + from) / (256 / STEPS))));
  return Int32Array.from({ length: features.length / FEATURES }, (_, cell) => {
    const at = cell * FEATURES;
    return (step(at, 0) * STEPS + step(at + 1, 128)) * STEPS + step(at + 2, 128);
  });
}

/** The log odds that a cell of such a colour is figure, by where colours are found so far. */
function colorOdds(keys: Int32Array, shares: Float32Array): Float32Array {
  const [figure, ground] = [new Float64Array(STEPS ** 3), new Float64Array(STEPS ** 3)];
  let sum = 0;
  for (const [cell, share] of shares.entries()) {
    const key = keys[cell] as number;
    (figure[key] as number) += share;
    (ground[key] as number) += 1 - share;
    sum += share;
  }
  const part = (of: number | undefined, whole: number) => (of ?? 0) / (whole || 1) + 1e-4;
  return Float32Array.from(keys, (key) =>
    certainly(Math.log(part(figure[key], sum) / part(ground[key], shares.length - sum))),
  );
}

/** The cells that are rather figure, without pieces that are small beside the largest. */
function largestPieces({ width }: Cells, shares: Float32Array): Uint8Array {
  const figure = Uint8Array.from(shares, (share) => Number(share > 0.5));
  const seen = new Uint8Array(figure.length);
  const pieces: number[][] = [];
  for (const start of figure.keys()) {
    const piece: number[] = [];
    const visit = (cell: number) => {
      if (figure[cell] !== 1 || seen[cell] === 1) return;
      seen[cell] = 1;
      piece.push(cell);
    };
    visit(start);
    for (const cell of piece) {
      if (cell % width > 0) visit(cell - 1);
      if (cell % width < width - 1) visit(cell + 1);
      visit(cell - width);
      visit(cell + width);
    }
    if (piece.length > 0) pieces.push(piece);
  }
  const least = SMALLEST_PIECE * pieces.reduce((most, { length }) => Math.max(most, length), 0);
  figure.fill(0);
  for (const piece of pieces) if (piece.length >= least) for (const cell of piece) figure[cell] = 1;
  return figure;
}

/** Whether cells are a figure, and not the most unusual of a pattern. */
function standsOut(cells: Cells, figure: Uint8Array): boolean {
  const { width } = cells;
  const size = figure.reduce((sum, is) => sum + is, 0);
  const across = { sum: 0, count: 0 };
  const ground = { sum: 0, count: 0 };
  for (const [cell, is] of figure.entries()) {
    for (const next of [cell % width < width - 1 ? cell + 1 : Infinity, cell + width]) {
      if (next >= figure.length || (is === 1 && figure[next] === 1)) continue;
      const pair = is === figure[next] ? ground : across;
      pair.sum += Math.sqrt(squareOf(cells, cell, next, COLORS));
      pair.count++;
    }
  }
  const usual = ground.sum / Math.max(1, ground.count) + 2;
  return size >= figure.length * SMALLEST_FIGURE && across.sum >= across.count * usual * LEAST_CONTRAST;
}
