import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exportLibrary, openMirror, pullLibrary } from '../../src/reading.ts';
import { temporaryFolder } from '../folder.ts';
import { ARMS, startFakeService } from '../pull/fake-service.ts';
import { idOf, objectPath } from './objects.ts';

const mesh = randomBytes(2_000_000);
const CONTENTS = { 'arm/arm.xml': '<mujoco/>', 'arm/empty': '', 'arm/mesh.stl': mesh };

async function mirrored() {
  const { service, client } = await startFakeService(CONTENTS);
  const home = temporaryFolder();
  const parts = { cacheFolder: join(home, 'cache'), stateFolder: join(home, 'state') };
  const folder = join(home, 'mirror');
  await exportLibrary(client, ARMS, folder, parts);
  service.resetCounts();
  const target = join(home, 'pulled');
  const pull = () =>
    pullLibrary(client, ARMS, target, { ...parts, cache: false, mirror: openMirror(folder) });
  return { service, folder, target, pull };
}

test('a pull fetches every file from the mirror and none from the service', async () => {
  const { service, target, pull } = await mirrored();
  expect(await pull()).toMatchObject({ revision: 1, fetched: { files: 3 } });
  expect(readFileSync(join(target, 'arm/mesh.stl')).equals(mesh)).toBe(true);
  expect(readFileSync(join(target, 'arm/arm.xml'), 'utf8')).toBe('<mujoco/>');
  expect(service.counts.objects ?? 0).toBe(0);
  expect(service.counts['files-presign'] ?? 0).toBe(0);
  expect(await pull()).toMatchObject({ fetched: { files: 0 }, unchanged: { files: 3 } });
});

describe('a pull from a mirror', () => {
  test('with a flipped bit fails, and existing files stay unchanged', async () => {
    const { folder, target, pull } = await mirrored();
    await pull();
    writeFileSync(join(target, 'arm/mesh.stl'), 'my own');
    const flipped = Buffer.from(mesh);
    flipped[9] = (flipped[9] ?? 0) ^ 1;
    writeFileSync(join(folder, objectPath(idOf(mesh))), flipped);
    await expect(pull()).rejects.toMatchObject({ name: 'IntegrityError' });
    expect(readFileSync(join(target, 'arm/mesh.stl'), 'utf8')).toBe('my own');
    expect(readdirSync(join(target, 'arm')).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  test('of another revision fails without writing its file', async () => {
    const { service, target, pull } = await mirrored();
    service.publish({ 'arm/arm.xml': '<mujoco model="new"/>' });
    await expect(pull()).rejects.toMatchObject({ name: 'MirrorError' });
    expect(existsSync(join(target, 'arm/arm.xml'))).toBe(false);
  });

  test('without an index succeeds', async () => {
    const { folder, pull } = await mirrored();
    rmSync(join(folder, 'mirror.json'));
    expect(await pull()).toMatchObject({ fetched: { files: 3 } });
  });
});
