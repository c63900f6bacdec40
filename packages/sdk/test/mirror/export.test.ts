import { hash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exportLibrary, openMirror } from '../../src/reading.ts';
import { temporaryFolder } from '../folder.ts';
import { ARMS, cutAfter, startFakeService } from '../pull/fake-service.ts';
import { idOf, objectPath, readAll } from './objects.ts';

const large = randomBytes(6_000_000);
const CONTENTS = { 'arm/arm.xml': '<mujoco/>', 'arm/copy of arm.xml': '<mujoco/>', 'arm/mesh.stl': large };

async function exporting() {
  const { service, client } = await startFakeService(CONTENTS);
  const mirror = join(temporaryFolder(), 'mirror');
  const [cacheFolder, stateFolder] = [temporaryFolder(), temporaryFolder()];
  const run = (options: { verify?: boolean; signal?: AbortSignal } = {}) =>
    exportLibrary(client, ARMS, mirror, {
      cacheFolder,
      stateFolder,
      retry: { attempts: 1, pause: 1, maxPause: 1 },
      ...options,
    });
  const index = () => JSON.parse(readFileSync(join(mirror, 'mirror.json'), 'utf8'));
  const place = (bytes: Uint8Array | string) => join(mirror, objectPath(idOf(bytes)));
  return { service, mirror, run, index, place };
}

/** Every file of a folder but those that are still under way. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.partial'))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

test('an export holds each content once, the manifest, and an index that names the revision', async () => {
  const { mirror, run, index } = await exporting();
  const result = await run();
  expect(result).toMatchObject({ library: 'acme/arms', revision: 1, fetched: { objects: 2 }, replaced: 0 });
  expect(index()).toEqual({
    mirrorVersion: 1,
    libraries: { 'acme/arms': { '@1': { revision: 1, manifest: result.manifest } } },
  });
  const manifest = await readAll(openMirror(mirror), result.manifest);
  expect(JSON.parse(manifest.bytes.toString()).assets).toHaveLength(1);
  const objects = [idOf('<mujoco/>'), idOf(large), result.manifest].map(objectPath);
  expect(filesIn(mirror).sort()).toEqual(['mirror.json', ...objects].sort());
  for (const path of objects) expect(hash('sha256', readFileSync(join(mirror, path)))).toBe(path.slice(-64));
});

test('a second export fetches only new content, and the index names both revisions', async () => {
  const { service, run, index } = await exporting();
  await run();
  service.publish({ ...CONTENTS, 'hand/hand.glb': 'hand' });
  service.resetCounts();
  expect(await run()).toMatchObject({
    revision: 2,
    fetched: { objects: 1, bytes: 4 },
    unchanged: { objects: 2 },
  });
  expect(service.counts.objects).toBe(1);
  expect(Object.keys(index().libraries['acme/arms'])).toEqual(['@1', '@2']);
});

describe('a damaged object in a mirror', () => {
  test('is replaced by the next export', async () => {
    const { run, place } = await exporting();
    await run();
    writeFileSync(place(large), large.subarray(1));
    expect(await run()).toMatchObject({ fetched: { objects: 1 }, replaced: 1, unchanged: { objects: 1 } });
    expect(readFileSync(place(large)).equals(large)).toBe(true);
  });

  test('with its old timestamps is found and replaced with --verify', async () => {
    const { run, place } = await exporting();
    await run();
    const { atime, mtime } = statSync(place(large));
    const flipped = Buffer.from(large);
    flipped[5] = (flipped[5] ?? 0) ^ 1;
    writeFileSync(place(large), flipped);
    utimesSync(place(large), atime, mtime);
    expect(await run({ verify: true })).toMatchObject({ replaced: 1 });
    expect(readFileSync(place(large)).equals(large)).toBe(true);
  });
});

test('an interrupted export writes no index, and the next one resumes where it stopped', async () => {
  const { service, mirror, run, index, place } = await exporting();
  service.misbehave = cutAfter(3_000_000);
  await expect(run()).rejects.toMatchObject({ name: 'NetworkError' });
  expect(existsSync(join(mirror, 'mirror.json'))).toBe(false);
  expect(existsSync(place(large))).toBe(false);
  service.misbehave = null;
  service.resetCounts();
  await run();
  expect(service.ranges.some((range) => range !== null && range !== 'bytes=0-')).toBe(true);
  expect(index().libraries['acme/arms']).toHaveProperty('@1');
});

test('an object with wrong bytes fails the export and is not kept', async () => {
  const { service, mirror, run } = await exporting();
  service.misbehave = ({ response, bytes }) => void response.writeHead(200).end(Buffer.alloc(bytes.length));
  await expect(run()).rejects.toMatchObject({ name: 'IntegrityError' });
  expect(filesIn(mirror)).toEqual([]);
});

describe('the index of a mirror', () => {
  test('in a newer format fails the export, which writes nothing', async () => {
    const { mirror, run } = await exporting();
    await run();
    rmSync(join(mirror, 'objects'), { recursive: true });
    writeFileSync(join(mirror, 'mirror.json'), '{"mirrorVersion":2,"libraries":{}}');
    await expect(run()).rejects.toThrow(/has a newer format/);
    expect(filesIn(mirror)).toEqual(['mirror.json']);
  });

  test.each([
    '',
    '{',
    '[]',
    '{"mirrorVersion":1,"libraries":[]}',
    '{"mirrorVersion":1,"libraries":{"a/b":3}}',
  ])('that holds %j fails the export and is left alone', async (text) => {
    const { mirror, run } = await exporting();
    await run();
    writeFileSync(join(mirror, 'mirror.json'), text);
    await expect(run()).rejects.toThrow(/is not the index of a mirror/);
    expect(readFileSync(join(mirror, 'mirror.json'), 'utf8')).toBe(text);
  });

  test('names the libraries of all exports that write it at the same time', async () => {
    const { mirror, run } = await exporting();
    await run();
    const { addToMirrorIndex } = await import('../../src/export/mirror-index.ts');
    const entry = { revision: 1, manifest: idOf('{}') };
    const names = Array.from({ length: 12 }, (_, at) => `lib-${at}`);
    await Promise.all(names.map((name) => addToMirrorIndex(mirror, { namespace: 'ada', name }, entry)));
    const { libraries } = JSON.parse(readFileSync(join(mirror, 'mirror.json'), 'utf8'));
    expect(Object.keys(libraries).sort()).toEqual(
      ['acme/arms', ...names.map((name) => `ada/${name}`)].sort(),
    );
    expect(readdirSync(mirror).sort()).toEqual(['mirror.json', 'objects']);
  });

  test('can be written despite the stale lock of a killed process', async () => {
    const { mirror, run, index } = await exporting();
    await run();
    const lock = join(mirror, '.mirror.json.lock');
    writeFileSync(lock, '');
    utimesSync(lock, new Date(0), new Date(0));
    await run();
    expect(index().libraries['acme/arms']).toHaveProperty('@1');
    expect(existsSync(lock)).toBe(false);
  });
});
