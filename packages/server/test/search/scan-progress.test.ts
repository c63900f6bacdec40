import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ScanProgress } from '../../src/search/vectors/scan-part.ts';

const anyCosine = fc.double({ min: -1, max: 1, noNaN: true });

test('each block of a scan is taken once, by whichever worker asks first', () => {
  const memory = ScanProgress.memory();
  const [ann, bob] = [new ScanProgress(memory), new ScanProgress(memory)];
  expect([ann.takeBlock(), bob.takeBlock(), bob.takeBlock(), ann.takeBlock()]).toEqual([0, 1, 2, 3]);
});

test('a scan is complete once all blocks are taken and every worker that took any has returned its results', () => {
  const memory = ScanProgress.memory();
  const [ann, bob, caller] = [new ScanProgress(memory), new ScanProgress(memory), new ScanProgress(memory)];
  ann.takeBlock();
  expect(caller.isComplete(2, 1)).toBe(false);
  ann.takeBlock();
  expect(caller.isComplete(2, 0)).toBe(false);
  expect(caller.isComplete(2, 1)).toBe(true);
  bob.takeBlock();
  expect(caller.isComplete(2, 1)).toBe(false);
  expect(caller.isComplete(2, 2)).toBe(true);
});

test('the bar of a scan is the 100th best cosine reported by any worker, or less than 1e-8 below it', () => {
  const told = fc.array(fc.tuple(anyCosine, fc.boolean()), { minLength: 100, maxLength: 600 });
  fc.assert(
    fc.property(told, (cosines) => {
      const memory = ScanProgress.memory();
      const [ann, bob] = [new ScanProgress(memory), new ScanProgress(memory)];
      for (const [cosine, isFromAnn] of cosines) (isFromAnn ? ann : bob).shareCosine(cosine);
      const hundredth = cosines.map(([cosine]) => cosine).sort((a, b) => b - a)[99]!;
      for (const { threshold } of [ann, bob]) {
        expect(threshold).toBeLessThanOrEqual(hundredth);
        expect(threshold).toBeGreaterThan(hundredth - 1e-8);
      }
    }),
  );
});

test('a scan has no bar until 100 cosines are reported, and later reports never lower it', () => {
  const progress = new ScanProgress(ScanProgress.memory());
  for (let n = 0; n < 99; n++) progress.shareCosine(0.5);
  expect(progress.threshold).toBe(Number.NEGATIVE_INFINITY);
  progress.shareCosine(0.5);
  expect(progress.threshold).toBe(0.5);
  for (let n = 0; n < 10_000; n++) progress.shareCosine(0.25);
  expect(progress.threshold).toBe(0.5);
});
