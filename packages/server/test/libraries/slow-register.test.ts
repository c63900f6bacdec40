import { hash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateManifest } from '@bindery/server/testing';
import { expect, test } from 'vitest';
import { createRevisionWorkers, registerWorkers } from '../../src/adapters/workers/revision-workers.ts';

test('a register that takes too long says so, and not that others are in its way', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-slow-'));
  const workers = createRevisionWorkers({ processorTime: 500, timeout: 60_000 });
  try {
    const bytes = generateManifest(() => 0);
    const manifest = { file: join(folder, 'manifest'), sha256: hash('sha256', bytes), size: bytes.length };
    await writeFile(manifest.file, bytes);
    const source = { ...manifest, layout: 'current' as const };
    const job = { manifest: source, previous: null, artifacts: [], cover: null };
    await expect(workers.build(job)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^The register took longer than .* processor time/),
      details: { retryAfter: 60 },
    });
  } finally {
    await workers.close();
    await rm(folder, { recursive: true });
  }
});

test('registers run side by side, one for each processor, within a quarter of the memory', () => {
  const workers = (processors: number, gibibytes: number) =>
    registerWorkers({ processors, megabytes: gibibytes * 1_024 });
  expect(workers(2, 8)).toEqual({ small: 2, large: 2, sidecars: 2 });
  expect(workers(8, 8)).toEqual({ small: 8, large: 2, sidecars: 4 });
  expect(workers(16, 64)).toEqual({ small: 16, large: 16, sidecars: 16 });
  expect(workers(64, 16)).toEqual({ small: 16, large: 4, sidecars: 8 });
  expect(workers(1, 0.5)).toEqual({ small: 1, large: 2, sidecars: 1 });
});
