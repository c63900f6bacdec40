import { randomFillSync } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ModelTexts } from './model-texts.ts';
import { binaryStl, urdfOf } from './robot-files.ts';

const FILES = 10_000;
const BYTES = 177_000_000;
const MEDIAN = 8_192;
const FILES_PER_ASSET = 50;
const CHUNK = 16 * 1024 * 1024;

/** Ten thousand files of log-normal sizes (median 8 KB, 177 MB in total) in assets of fifty; deterministic sizes. */
export function writeSmallFiles(folder: string): { files: number; bytes: number } {
  const next = generator();
  const sigma = Math.sqrt(2 * Math.log(BYTES / FILES / MEDIAN));
  const drawn = Array.from({ length: FILES }, () => MEDIAN * Math.exp(sigma * normal(next)));
  const scale = BYTES / drawn.reduce((sum, size) => sum + size, 0);
  return writeModels(
    folder,
    drawn.map((size) => Math.round(size * scale)),
    next,
  );
}

/** `files` files of equal size, in assets of fifty. */
export function writeEqualFiles(folder: string, files: number, bytes: number): void {
  writeModels(folder, new Array<number>(files).fill(bytes), generator());
}

/** OBJ files of these sizes in assets of fifty; the first file of each asset has the materials for the others. */
function writeModels(folder: string, sizes: number[], next: () => number): { files: number; bytes: number } {
  const texts = new ModelTexts(next);
  let bytes = 0;
  for (const [at, size] of sizes.entries()) {
    const asset = `asset-${String(Math.floor(at / FILES_PER_ASSET)).padStart(3, '0')}`;
    const isFirst = at % FILES_PER_ASSET === 0;
    const content = isFirst ? texts.materials(asset, size) : texts.model(`part-${at}`, size);
    const meshes = join(folder, asset, 'meshes');
    if (isFirst) mkdirSync(meshes, { recursive: true });
    writeFileSync(join(meshes, isFirst ? 'materials.mtl' : `part-${at}.obj`), content);
    bytes += content.length;
  }
  return { files: sizes.length, bytes };
}

const ROBOT_FILES = 1_000;
const FILES_PER_ROBOT = 33;

/**
 * The sizes of files in published robot collections, as bytes at each percentile: descriptions of a few hundred bytes,
 * meshes around 60 KB, scans and textures up to 4 MB.
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

/**
 * A thousand files of such sizes, 350 MiB in total: robots of thirty-two meshes and the URDF that refers to them; sizes
 * and order are deterministic.
 */
export function writeRobots(folder: string): { files: number; bytes: number } {
  const next = generator();
  const drawn = Array.from({ length: ROBOT_FILES }, (_, at) => sizeAt((100 * (at + 0.5)) / ROBOT_FILES));
  const sizes = drawn
    .map((size) => ({ size, place: next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ size }) => size);
  let bytes = 0;
  for (let first = 0; first < ROBOT_FILES; first += FILES_PER_ROBOT) {
    const robot = `robot-${first / FILES_PER_ROBOT}`;
    const meshes = sizes.slice(first + 1, first + FILES_PER_ROBOT);
    mkdirSync(join(folder, robot, 'meshes'), { recursive: true });
    const names = meshes.map((_, at) => `meshes/part-${at}.stl`);
    const contents = [urdfOf(robot, names), ...meshes.map(binaryStl)];
    for (const [at, name] of [`${robot}.urdf`, ...names].entries()) {
      const content = contents[at] as Buffer;
      writeFileSync(join(folder, robot, name), content);
      bytes += content.length;
    }
  }
  return { files: ROBOT_FILES, bytes };
}

/** Returns the size at a percentile, interpolated between known ones on a logarithmic scale. */
function sizeAt(percentile: number): number {
  const above = ROBOT_SIZES.findIndex(([known]) => known >= percentile);
  const [from, least] = ROBOT_SIZES[above - 1] ?? [0, 0];
  const [to, most] = ROBOT_SIZES[above] ?? [0, 0];
  return Math.round(least * (most / least) ** ((percentile - from) / (to - from)));
}

/** One incompressible file of `bytes` bytes. */
export function writeLargeFile(file: string, bytes: number): void {
  mkdirSync(dirname(file), { recursive: true });
  const descriptor = openSync(file, 'w');
  const chunk = Buffer.allocUnsafe(CHUNK);
  for (let written = 0; written < bytes; written += CHUNK) {
    writeSync(descriptor, randomFillSync(chunk), 0, Math.min(CHUNK, bytes - written));
  }
  closeSync(descriptor);
}

/** Returns a generator of reproducible random numbers from 0 to 1 (mulberry32). */
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
