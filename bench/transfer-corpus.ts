import { randomFillSync } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FILES = 10_000;
const BYTES = 177_000_000;
const MEDIAN = 8_192;
const FILES_PER_ASSET = 50;
const CHUNK = 16 * 1024 * 1024;

/** Ten thousand OBJ files of log-normal sizes (median 8 KB, 177 MB in all) in assets of fifty; the same sizes each time. */
export function writeSmallFiles(folder: string): { files: number; bytes: number } {
  const next = generator();
  const sigma = Math.sqrt(2 * Math.log(BYTES / FILES / MEDIAN));
  const drawn = Array.from({ length: FILES }, () => MEDIAN * Math.exp(sigma * normal(next)));
  const scale = BYTES / drawn.reduce((sum, size) => sum + size, 0);
  const vertices = vertexLines(next);
  let bytes = 0;
  for (const [at, size] of drawn.entries()) {
    const asset = `asset-${String(Math.floor(at / FILES_PER_ASSET)).padStart(3, '0')}`;
    const content = objFile(at, Math.max(1, Math.round(size * scale)), vertices, next);
    const file = join(folder, asset, 'meshes', `part-${at}.obj`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    bytes += content.length;
  }
  return { files: FILES, bytes };
}

/** What each file has lines of, another piece in each. */
const VERTICES = 100_000;
const MAX_LINE = 34;

/** Text as programs write it. No folder has OBJ files of random bytes, which take longer to look into. */
function vertexLines(next: () => number): Buffer {
  const coordinate = () => (2 * next() - 1).toFixed(6);
  const lines = Array.from({ length: VERTICES }, () => `v ${coordinate()} ${coordinate()} ${coordinate()}\n`);
  return Buffer.from(lines.join(''));
}

/** An OBJ file of so many bytes, unlike every other. */
function objFile(part: number, size: number, vertices: Buffer, next: () => number): Buffer {
  const head = `o part-${part}\n`;
  const missing = Math.max(0, size - head.length);
  const latest = Math.max(0, vertices.length - missing - MAX_LINE);
  const start = vertices.indexOf('\n', Math.floor(next() * latest)) + 1;
  return Buffer.concat([Buffer.from(head), vertices.subarray(start, start + missing)]).subarray(0, size);
}

const ROBOT_FILES = 1_000;
const FILES_PER_ROBOT = 33;

/**
 * The sizes of files in published collections of robots, as bytes at each percentile: descriptions of a few hundred
 * bytes, meshes around 60 KB, scans and textures up to 4 MB.
 */
const ROBOT_SIZES: [percentile: number, bytes: number][] = [
  [0, 200],
  [10, 1_000],
  [25, 8_000],
  [50, 60_000],
  [75, 350_000],
  [90, 1_250_000],
  [97, 2_400_000],
  [100, 4 * 1024 * 1024],
];

/** A thousand files of such sizes, 360 MiB in all, in assets of thirty-three; the same sizes in the same order each time. */
export function writeRobots(folder: string): { files: number; bytes: number } {
  const next = generator();
  const sizes = Array.from({ length: ROBOT_FILES }, (_, at) => sizeAt((100 * (at + 0.5)) / ROBOT_FILES));
  const shuffled = sizes
    .map((size) => ({ size, place: next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ size }) => size);
  for (const [at, size] of shuffled.entries()) {
    const file = join(folder, `robot-${Math.floor(at / FILES_PER_ROBOT)}`, 'meshes', `part-${at}.stl`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, randomFillSync(Buffer.allocUnsafe(size)));
  }
  return { files: ROBOT_FILES, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** The size at a percentile, between two known ones by their logarithms. */
function sizeAt(percentile: number): number {
  const above = ROBOT_SIZES.findIndex(([known]) => known >= percentile);
  const [from, least] = ROBOT_SIZES[above - 1] ?? [0, 0];
  const [to, most] = ROBOT_SIZES[above] ?? [0, 0];
  return Math.round(least * (most / least) ** ((percentile - from) / (to - from)));
}

/** One file of so many bytes that no compression helps with. */
export function writeLargeFile(file: string, bytes: number): void {
  mkdirSync(dirname(file), { recursive: true });
  const descriptor = openSync(file, 'w');
  const chunk = Buffer.allocUnsafe(CHUNK);
  for (let written = 0; written < bytes; written += CHUNK) {
    writeSync(descriptor, randomFillSync(chunk), 0, Math.min(CHUNK, bytes - written));
  }
  closeSync(descriptor);
}

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function generator(): () => number {
  let state = 7;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A draw from the standard normal distribution (Box and Muller). */
function normal(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}
