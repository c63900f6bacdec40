import { hash } from 'node:crypto';
import { MANIFEST_PATH, VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH } from '@bindery/contract';
import { Publisher } from '../publisher.ts';
import type { BenchmarkRow } from '../results-table.ts';
import { OWNER } from '../seed.ts';
import { CONTENT, generateLibrary, rotateDimensions } from './corpus.ts';
import { probe, row, search } from './measure.ts';
import type { Service } from './service.ts';

export const LIBRARY = 'registered';

interface Registered {
  base: Float32Array;
  assets: number;
  model: string;
  token: string;
}

/** Registers a library with vectors over HTTP and searches it immediately, while other requests are measured. */
export async function benchRegistered(
  service: Service,
  { base, assets, model, token }: Registered,
): Promise<BenchmarkRow[]> {
  const { manifest, document } = generateLibrary(assets, model);
  const bytes = Buffer.from(JSON.stringify(manifest));
  const matrix = new Uint8Array(rotateDimensions(base, 400).buffer);
  const publisher = new Publisher(service.url, token, `/namespaces/${OWNER}/libraries/${LIBRARY}`);
  await publisher.upload([
    { path: manifest.assets[0]?.files[0]?.path ?? '', content: CONTENT },
    { path: VECTORS_INDEX_PATH, content: document },
    { path: VECTORS_MATRIX_PATH, content: matrix },
    { path: MANIFEST_PATH, content: bytes },
  ]);
  const others = probe(service);
  const start = performance.now();
  await publisher.register({ manifestSha256: hash('sha256', bytes), visibility: 'public' });
  const registered = performance.now() - start;
  const { milliseconds } = await search(service, [`${OWNER}/${LIBRARY}`], 'red chair');
  const what = `${assets.toLocaleString('en')} assets with vectors`;
  return [
    row(`register of ${what}`, registered, 10_000, 'ms'),
    row(`first fused search after a register of ${what}`, milliseconds, 3_000, 'ms'),
    row('other requests during both, slowest', await others.slowest(), 50, 'ms'),
  ];
}
