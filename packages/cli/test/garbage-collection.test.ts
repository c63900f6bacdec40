import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const MODULE = JSON.stringify(new URL('../src/garbage-collection.ts', import.meta.url).href);

/** Lets 600 MB pass in pieces of 64 KiB, beside a heap that is worth marking; answers how often all of it was collected. */
const PROGRAM = `
import { constants, PerformanceObserver } from 'node:perf_hooks';
let collections = 0;
const isWhole = ({ detail: { kind } }) => kind === constants.NODE_PERFORMANCE_GC_MAJOR;
const observer = new PerformanceObserver((list) => {
  collections += list.getEntries().filter(isWhole).length;
});
observer.observe({ entryTypes: ['gc'] });
globalThis.kept = Array.from({ length: 300_000 }, (_, at) => ({ at }));
if (process.argv[1] === 'expected') (await import(${MODULE})).tuneGcForTransfers();
for (let piece = 0; piece < 10_000; piece++) {
  globalThis.last = Buffer.allocUnsafeSlow(64 * 1024);
  if (piece % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
}
await new Promise((resolve) => setTimeout(resolve, 50));
console.log(collections);
`;

function wholeCollections(...words: string[]): number {
  const options = ['--input-type=module', '-e', PROGRAM, ...words];
  return Number(execFileSync(process.execPath, options, { encoding: 'utf8' }));
}

test('tuneGcForTransfers more than halves full garbage collections while many buffers pass through', () => {
  const otherwise = wholeCollections();
  expect(otherwise).toBeGreaterThan(5);
  expect(wholeCollections('expected')).toBeLessThan(otherwise / 2);
});
