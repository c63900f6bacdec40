import { randomFillSync } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FILES = 10_000;
const BYTES = 177_000_000;
const MEDIAN = 8_192;
const FILES_PER_ASSET = 50;
const CHUNK = 16 * 1024 * 1024;

/** Ten thousand files of log-normal sizes (median 8 KB, 177 MB in all) in assets of fifty; the same sizes each time. */
export function writeSmallFiles(folder: string): { files: number; bytes: number } {
  const next = generator();
  const sigma = Math.sqrt(2 * Math.log(BYTES / FILES / MEDIAN));
  const drawn = Array.from({ length: FILES }, () => MEDIAN * Math.exp(sigma * normal(next)));
  const scale = BYTES / drawn.reduce((sum, size) => sum + size, 0);
  let bytes = 0;
  for (const [at, size] of drawn.entries()) {
    const asset = `asset-${String(Math.floor(at / FILES_PER_ASSET)).padStart(3, '0')}`;
    const content = randomFillSync(Buffer.allocUnsafe(Math.max(1, Math.round(size * scale))));
    const file = join(folder, asset, 'meshes', `part-${at}.obj`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    bytes += content.length;
  }
  return { files: FILES, bytes };
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
