import { hash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateManifest } from '@bindery/server/testing';
import { expect, test } from 'vitest';
import { createRevisionWorkers } from '../../src/adapters/workers/revision-workers.ts';

test('a register that takes too long says so, and not that others are in its way', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-slow-'));
  const workers = createRevisionWorkers({ processorTime: 500, timeout: 60_000 });
  try {
    const bytes = generateManifest(() => 0);
    const manifest = { file: join(folder, 'manifest'), sha256: hash('sha256', bytes), size: bytes.length };
    await writeFile(manifest.file, bytes);
    const job = { manifest: { ...manifest, layout: 'current' as const }, previousIndex: null, artifacts: [] };
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
