import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrossLibraryHit, SEMANTIC_HEADER } from '@bindery/contract';
import { INCLUDED_MODEL } from '@bindery/encoder';
import pino from 'pino';
import sharp from 'sharp';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SMALL_MODEL, writeSmallModel } from '../../../encoder/test/small-model.ts';
import { writeSmallTextModel } from '../../../encoder/test/small-text-model.ts';
import { DiskDerivedVectors } from '../../src/adapters/derived-vectors/disk-derived-vectors.ts';
import { openActiveEncoder } from '../../src/adapters/encoder/active-encoder.ts';
import { deriveVectors } from '../../src/search/derived/derive-vectors.ts';
import type { Encoder } from '../../src/search/encoder.ts';
import type { Actor } from '../actor.ts';
import { publish } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';
import { sidecarFiles, vectorOf } from './embeddings.ts';
import { ScriptedEncoder } from './scripted-encoder.ts';

const NEVER = () => false;

let base: string;
let dataDir: string;
let service: TestService;
let ada: Actor;
const services: TestService[] = [];

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'bindery-derived-'));
  dataDir = join(base, 'data');
});
afterEach(async () => {
  await Promise.all(services.splice(0).map((one) => one.close()));
  await rm(base, { recursive: true, force: true });
});

/** A service that makes vectors when the test tells it to, or by itself. */
async function serve(encoder: Encoder, { byItself = false, ofAll = true } = {}): Promise<void> {
  const derivesVectors = ofAll ? (byItself ? 'all' : 'none') : 'embedded';
  service = await startService({ encoder, dataDir, configuration: { derivesVectors } });
  services.push(service);
  ada = await service.member('ada');
}

/** A service with the small model of texts, as an operator brings it. */
async function serveModel(
  model: { script?: 'Latin' } = {},
  options: { byItself?: boolean } = {},
): Promise<void> {
  const folder = join(base, 'models');
  const { id } = await writeSmallTextModel(folder, model);
  await serve(await openActiveEncoder({ folder, model: id, log: pino({ level: 'silent' }) }), options);
}

/** A service with a model of vectors that the test states, by text. */
async function serveScripted(texts: readonly string[]): Promise<ScriptedEncoder> {
  const encoder = new ScriptedEncoder();
  encoder.facts = { version: '1', dim: 384, encodesImages: false };
  for (const [at, text] of texts.entries()) encoder.vectors.set(text, vectorOf(0.9 / (at + 1)));
  await serve(encoder);
  return encoder;
}

const titled = (...titles: string[]) =>
  titles.map((title) => ({
    id: title.replaceAll(/[^a-z0-9]+/g, '-').replace(/^-/, ''),
    title,
    files: { [`${title}/a.stl`]: title },
  }));

async function search(q: string, rank = 'relevance') {
  const query = new URLSearchParams({ q, rank });
  const { body, headers } = await ada.get<{ hits: CrossLibraryHit[] }>(
    `/namespaces/ada/libraries/things/search?${query}`,
  );
  return { ids: body.hits.map(({ assetId }) => assetId), reason: headers.get(SEMANTIC_HEADER) };
}

/** Searches until a model that is still being loaded answers. */
async function searchReady(q: string): Promise<Awaited<ReturnType<typeof search>>> {
  await expect
    .poll(async () => (await search(q)).reason, { timeout: 60_000 })
    .not.toBe('encoder-unavailable');
  return search(q);
}

test('a library that was pushed without vectors is found by meaning, in the order of relevance alone', async () => {
  await serveModel();
  await publish(ada, 'ada/things', { assets: titled('robot arm', 'cup', 'lamp') });
  expect((await searchReady('mug')).reason).toBe('no-sidecar');
  await deriveVectors(service.context, NEVER);
  expect(await searchReady('mug')).toEqual({ ids: ['cup'], reason: 'on' });
  expect(await search('mug', 'specified')).toEqual({ ids: [], reason: 'no-sidecar' });
  const { headers } = await ada.get('/namespaces/ada/libraries/things');
  expect(headers.get(SEMANTIC_HEADER)).toBe('on');
});

test('the service makes vectors by itself soon after a push', async () => {
  await serveModel({}, { byItself: true });
  await publish(ada, 'ada/things', { assets: titled('cup', 'lamp') });
  await expect.poll(async () => (await search('mug')).ids, { timeout: 60_000 }).toEqual(['cup']);
});

test('an asset without a title is found by the words of its id, and not by tags that all assets have', async () => {
  await serveModel();
  const things = ['RobotCup', 'lamp', 'xyz', 'zyx'];
  await publish(ada, 'ada/things', {
    assets: things.map((id) => ({ id, tags: ['limb'], files: { [`${id}/a.stl`]: id } })),
  });
  await deriveVectors(service.context, NEVER);
  expect((await searchReady('чашка')).ids).toEqual(['RobotCup']);
  expect((await search('臂')).ids).toEqual([]);
});

test('a query in a script that the model reads is answered by meaning', async () => {
  await serveModel();
  await publish(ada, 'ada/things', { assets: titled('robot arm', 'cup') });
  await deriveVectors(service.context, NEVER);
  for (const arm of ['机器人手臂', 'рука']) {
    expect(await searchReady(arm), arm).toEqual({ ids: ['robot-arm'], reason: 'on' });
  }
});

test('a query in a script that the model does not read is answered by words, and says so', async () => {
  await serveModel({ script: 'Latin' });
  await publish(ada, 'ada/things', { assets: titled('arm', '谢谢 robot', 'cup') });
  await deriveVectors(service.context, NEVER);
  for (const q of ['谢谢', 'спасибо', 'xyzzy']) {
    expect((await searchReady(q)).reason, q).toBe('unknown-words');
  }
  expect((await search('谢谢')).ids).toEqual(['robot']);
  expect((await search('спасибо')).ids).toEqual([]);
});

test('names of things in other languages are searched in English, by words and by meaning', async () => {
  await serveModel({ script: 'Latin' });
  await publish(ada, 'ada/things', { assets: titled('arm', 'robot arm', 'cup') });
  await deriveVectors(service.context, NEVER);
  for (const arm of ['机械臂', 'рука робота', 'brazo robótico'])
    expect((await searchReady(arm)).ids[0], arm).toBe('robot-arm');
  for (const cup of ['فنجان', 'cangkir']) expect((await search(cup)).ids, cup).toEqual(['cup']);
  for (const giraffe of ['长颈鹿', 'жираф']) expect((await search(giraffe)).ids, giraffe).toEqual([]);
});

test('a model of pictures makes vectors of thumbnails, but of none that cannot be decoded', async () => {
  const folder = join(base, 'models');
  await writeSmallModel(folder);
  await serve(await openActiveEncoder({ folder, model: SMALL_MODEL, log: pino({ level: 'silent' }) }));
  const squareOf = (color: string) =>
    sharp({ create: { width: 64, height: 64, channels: 3, background: color } })
      .png()
      .toBuffer();
  const pictures = { one: await squareOf('red'), two: await squareOf('blue'), three: 'no picture' };
  await publish(ada, 'ada/things', {
    assets: Object.entries(pictures).map(([id, picture]) => ({
      id,
      files: { [`${id}/a.stl`]: id, [`${id}/a.png`]: picture },
      thumbnail: `${id}/a.png`,
    })),
  });
  await deriveVectors(service.context, NEVER);
  expect(await searchReady('red')).toMatchObject({ ids: ['one'], reason: 'on' });
  expect((await search('blue')).ids).toEqual(['two']);
});

test('vectors that a library brings are used as they are', async () => {
  const encoder = await serveScripted(['cup']);
  await publish(ada, 'ada/things', {
    assets: titled('cup'),
    generated: sidecarFiles({ cup: { text: vectorOf(1) } }),
  });
  await deriveVectors(service.context, NEVER);
  expect(await encodedBy(encoder)).toEqual([]);
});

test('only what changed is encoded for the next revision, and nothing after a restart', async () => {
  const encoder = await serveScripted(['cup', 'arm', 'lamp']);
  await publish(ada, 'ada/things', { assets: titled('cup', 'arm') });
  await deriveVectors(service.context, NEVER);
  expect(await encodedBy(encoder)).toEqual(['arm', 'cup']);
  await publish(ada, 'ada/things', { assets: titled('cup', 'lamp') });
  await deriveVectors(service.context, NEVER);
  expect(await encodedBy(encoder)).toEqual(['lamp']);
  expect(await setsOnDisk()).toBe(1);
  const restarted = await openDisk(2 ** 30);
  await deriveVectors({ ...service.context, derivedVectors: restarted }, NEVER);
  expect(await encodedBy(encoder)).toEqual([]);
});

test('what was made before an interruption is not made again', async () => {
  const texts = Array.from({ length: 40 }, (_, at) => `thing ${at}`);
  const encoder = await serveScripted(texts);
  await publish(ada, 'ada/things', { assets: titled(...texts) });
  await deriveVectors(service.context, () => encoder.encoded.length > 0);
  const before = (await encodedBy(encoder)).length;
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(40);
  await deriveVectors(service.context, NEVER);
  expect((await encodedBy(encoder)).length).toBe(40 - before);
  expect(await setsOnDisk()).toBe(1);
});

test('the included model, which nobody named, takes over libraries with vectors of another one, and no others', async () => {
  const log = pino({ level: 'silent' });
  await serve(await openActiveEncoder({ folder: join(base, 'models'), model: INCLUDED_MODEL, log }), {
    ofAll: false,
  });
  await publish(ada, 'ada/plain', { assets: titled('sofa') });
  const generated = sidecarFiles({ sofa: { text: vectorOf(1) }, gear: { text: vectorOf(0, 1) } });
  await publish(ada, 'ada/things', { assets: titled('sofa', 'gear'), generated });
  expect(await search('couch', 'relevance')).toMatchObject({ reason: 'model-mismatch' });
  await deriveVectors(service.context, NEVER);
  expect(await search('furniture to rest on')).toMatchObject({ ids: ['sofa'], reason: 'on' });
  expect(await setsOnDisk()).toBe(1);
});

test('another model makes vectors of its own, in place of the former ones', async () => {
  const encoder = await serveScripted(['cup']);
  await publish(ada, 'ada/things', { assets: titled('cup') });
  await deriveVectors(service.context, NEVER);
  await encodedBy(encoder);
  encoder.facts = { version: '2', dim: 384, encodesImages: false };
  await deriveVectors(service.context, NEVER);
  expect(await encodedBy(encoder)).toEqual(['cup']);
  expect(await setsOnDisk()).toBe(1);
});

test('no more vectors are made than there is room for', async () => {
  const encoder = await serveScripted(['cup', 'arm']);
  const derivedVectors = await openDisk(1);
  await publish(ada, 'ada/first', { assets: titled('cup') });
  await deriveVectors({ ...service.context, derivedVectors }, NEVER);
  await publish(ada, 'ada/second', { assets: titled('arm') });
  await deriveVectors({ ...service.context, derivedVectors }, NEVER);
  expect(await encodedBy(encoder)).toEqual(['cup']);
});

test('rows that a crash damaged are made again', async () => {
  const texts = Array.from({ length: 40 }, (_, at) => `thing ${at}`);
  const encoder = await serveScripted(texts);
  await publish(ada, 'ada/things', { assets: titled(...texts) });
  await deriveVectors(service.context, () => encoder.encoded.length > 0);
  await encodedBy(encoder);
  const [matrix = ''] = await matricesOnDisk();
  await writeFile(matrix, Buffer.alloc((await stat(matrix)).size));
  await deriveVectors(service.context, NEVER);
  expect((await encodedBy(encoder)).sort()).toEqual(texts.sort());
});

test('the vectors of a deleted library are deleted', async () => {
  await serveScripted(['cup']);
  await publish(ada, 'ada/things', { assets: titled('cup') });
  await deriveVectors(service.context, NEVER);
  expect(await setsOnDisk()).toBe(1);
  await ada.delete('/namespaces/ada/libraries/things');
  await deriveVectors(service.context, NEVER);
  expect(await setsOnDisk()).toBe(0);
});

/** The vectors on the disk of the service, as it opens them when it starts. */
function openDisk(maxBytes: number): Promise<DiskDerivedVectors> {
  const log = pino({ level: 'silent' });
  return DiskDerivedVectors.open(join(dataDir, 'derived-vectors'), { maxBytes, log });
}

/** The texts that were encoded since it was last asked. */
async function encodedBy(encoder: ScriptedEncoder): Promise<string[]> {
  return encoder.encoded.splice(0);
}

async function setsOnDisk(): Promise<number> {
  return (await matricesOnDisk()).length;
}

async function matricesOnDisk(): Promise<string[]> {
  const folder = join(dataDir, 'derived-vectors');
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  return files.filter((file) => file.endsWith('vectors.f32')).map((file) => join(folder, file));
}
