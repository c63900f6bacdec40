import pino from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { NO_METRICS } from '../../src/metrics.ts';
import { findByVector } from '../../src/search/by-vector.ts';
import { DIMENSIONS, MODEL, seededVector } from './embeddings.ts';
import { ScriptedEncoder } from './scripted-encoder.ts';
import { images, LibraryFolder } from './vector-libraries.ts';

let folder: LibraryFolder;
beforeAll(async () => {
  folder = await LibraryFolder.make();
});
afterAll(() => folder.remove());

test('vectors are loaded while the query is encoded', async () => {
  const vectors = folder.openSearch(64 * 1024 * 1024);
  const encoder = new ScriptedEncoder();
  encoder.behaviour = async () => {
    await vi.waitFor(() => expect(vectors.usage().blocks).toBe(1), 30_000);
    return { ok: true, model: MODEL, vector: seededVector(1), relatedFrom: 0, cached: false };
  };
  const library = { vectors_model: MODEL, vectors_dim: DIMENSIONS };
  try {
    const context = { encoder, vectors, metrics: NO_METRICS, log: pino({ level: 'silent' }) };
    const targets = [{ library, vectors: await folder.library(images(3, 70)) }];
    expect(await findByVector(context, 'mug', targets)).toMatchObject({
      reason: 'on',
      candidates: [{ target: 0 }, { target: 0 }, { target: 0 }],
    });
  } finally {
    await vectors.close();
  }
});
