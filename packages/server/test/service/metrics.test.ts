import { afterEach, beforeEach, expect, test } from 'vitest';
import { servePrometheus } from '../../src/adapters/metrics/prometheus.ts';
import type { Actor } from '../actor.ts';
import { publish } from '../libraries/publish.ts';
import { sidecarFiles, vectorOf } from '../search/embeddings.ts';
import { ScriptedEncoder } from '../search/scripted-encoder.ts';
import { startService, type TestService } from '../service.ts';

let metrics: Awaited<ReturnType<typeof servePrometheus>>;
let encoder: ScriptedEncoder;
let service: TestService;
let ada: Actor;

beforeEach(async () => {
  metrics = await servePrometheus({ host: '127.0.0.1', port: 0 });
  encoder = new ScriptedEncoder();
  encoder.vectors.set('arm', vectorOf(1));
  service = await startService({ metrics, encoder });
  ada = await service.member('ada');
});
afterEach(async () => {
  await service.close();
  await metrics.close();
});

/** How often something was observed, by its one label. */
async function counts(name: string): Promise<Record<string, number>> {
  const text = await (await fetch(metrics.url)).text();
  const lines = text.matchAll(new RegExp(`^${name}_count\\{\\w+="([^"]+)"\\} (\\d+)$`, 'gm'));
  return Object.fromEntries([...lines].map(([, label, count]) => [label, Number(count)]));
}

const search = (library: string, query: string) =>
  ada.get(`/namespaces/ada/libraries/${library}/search?q=${query}`);

test('metrics count searches by semantic reason, and query encodings by outcome', async () => {
  const assets = [{ id: 'arm', files: { 'arm/arm.stl': 'arm' } }];
  const generated = sidecarFiles({ arm: { image: vectorOf(1) } });
  await publish(ada, 'ada/home', { assets, generated });
  await publish(ada, 'ada/plain', { assets });

  await search('home', 'arm');
  encoder.behaviour = async () => ({
    ok: true,
    model: 'open_clip/ViT-B-16-SigLIP2/webli',
    vector: vectorOf(1),
    relatedFrom: 0,
    cached: true,
  });
  await search('home', 'arm');
  await ada.get('/library-search?libraries=ada/home,ada/plain&q=arm');
  encoder.behaviour = async () => ({ ok: false, failure: 'late', reason: 'It is too late.' });
  await search('home', 'arm');
  encoder.behaviour = () => Promise.reject(new Error('out of order'));
  await search('home', 'arm');
  encoder.behaviour = null;
  encoder.vectors.set('hand', vectorOf(Number.NaN));
  await search('home', 'hand');
  await search('home', '');
  await search('plain', 'arm');
  await search('missing', 'arm');

  expect(await counts('bindery_search_duration_seconds')).toEqual({
    on: 3,
    'encoder-unavailable': 3,
    'no-query': 1,
    'no-sidecar': 1,
  });
  expect(await counts('bindery_query_encoding_duration_seconds')).toEqual({
    encoded: 1,
    remembered: 2,
    late: 1,
    failed: 1,
    output: 1,
  });
});

test('metrics count registers by outcome', async () => {
  const assets = [{ id: 'arm', files: { 'arm/arm.stl': 'arm' } }];
  await publish(ada, 'ada/home', { assets });
  await publish(ada, 'ada/home', { assets: [{ id: 'arm', files: { 'arm/arm.stl': 'longer arm' } }] });
  await ada.post('/namespaces/ada/libraries/home/register', { expectedRevision: 1 });
  await ada.post('/namespaces/ada/libraries/empty/register', {});
  expect(await counts('bindery_register_duration_seconds')).toEqual({
    created: 1,
    updated: 1,
    revision_conflict: 1,
    manifest_missing: 1,
  });
});
