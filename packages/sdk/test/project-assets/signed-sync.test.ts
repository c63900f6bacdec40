import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Endpoint } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { expect, test } from 'vitest';
import { type Client, createClient } from '../../src/index.ts';
import { exportLibrary, openMirror, type PullOptions, pullLibrary } from '../../src/reading.ts';
import { signEntry } from '../../src/signatures/sign.ts';
import { parseTrustedSigners } from '../../src/signatures/trusted-signers.ts';
import { temporaryFolder } from '../folder.ts';
import { SigningKey } from '../signatures/signing-key.ts';
import { createWorld } from './world.ts';

/** A library with a release that is signed and one that is not, and a machine whose project uses the signed one. */
async function signedWorld() {
  const world = await createWorld();
  const owner = { key: new SigningKey(temporaryFolder(), 'ann'), stateFolder: temporaryFolder() };
  await world.publish('robots', { 'arm/arm.xml': '<mujoco/>', 'arm/mesh.stl': 'solid' });
  const { name, revision, manifest } = await world.release('robots', 'v1');
  await world.release('robots', 'v2');
  const robots = { namespace: 'ann', name: 'robots' };
  const signing = { key: owner.key.file, stateFolder: owner.stateFolder };
  await signEntry(world.client, robots, { kind: 'allow', key: owner.key.key }, signing);
  const release = { name, revision, manifest };
  await signEntry(world.client, robots, { kind: 'release', release }, signing);
  const machine = world.machine();
  machine.uses('ann/robots@v1/arm');
  return { world, machine, robots, key: owner.key.key };
}

const requireSigned = {};

test('a signed release is synced, and again without a network', async () => {
  const { machine } = await signedWorld();
  await machine.sync({ requireSigned });
  const offline = createClient({
    baseUrl: 'http://127.0.0.1:9',
    retry: { attempts: 1, pause: 1, maxPause: 1 },
  });
  await machine.sync({ requireSigned, frozen: true, clientFor: async () => offline });
  expect(machine.read('assets/ann/robots/arm/arm.xml')).toBe('<mujoco/>');
});

test('a release that nobody signed is refused, and nothing is written', async () => {
  const { machine } = await signedWorld();
  machine.uses('ann/robots@v2/arm');
  await expect(machine.sync({ requireSigned })).rejects.toMatchObject({
    code: 'signature',
    details: { library: 'ann/robots', problem: 'unsigned' },
  });
  expect(existsSync(join(machine.project, 'assets'))).toBe(false);
  expect(existsSync(join(machine.project, 'assets.lock'))).toBe(false);
});

test('without a release, a revision that some release has is as good as that release', async () => {
  const { world, machine } = await signedWorld();
  machine.uses('ann/robots/arm');
  await machine.sync({ requireSigned });
  await world.publish('robots', { 'arm/arm.xml': '<mujoco model="newer"/>' });
  await expect(machine.sync({ requireSigned, upgrade: 'all' })).rejects.toMatchObject({
    details: { problem: 'unsigned' },
  });
});

test('signers that are trusted are the only ones', async () => {
  const { machine, key } = await signedWorld();
  const by = (line: string) => ({ requireSigned: { signers: parseTrustedSigners(line, 'signers') } });
  await expect(machine.sync(by(`ann/legs ${key}`))).rejects.toMatchObject({
    details: { problem: 'untrusted_signer' },
  });
  await machine.sync(by(`ann/robots ${key}`));
});

test('a stick that a project is synced from brings the signatures with it', async () => {
  const { world, machine, robots } = await signedWorld();
  await machine.sync();
  const stick = temporaryFolder();
  const folders = { cacheFolder: temporaryFolder(), stateFolder: temporaryFolder() };
  await exportLibrary(world.client, { ...robots, release: 'v1' }, stick, folders);
  const other = world.machine();
  other.write({ 'assets.yml': machine.read('assets.yml'), 'assets.lock': machine.read('assets.lock') });
  const mirror = openMirror(stick);
  await other.sync({ requireSigned, frozen: true, mirror });
  expect(other.read('assets/ann/robots/arm/mesh.stl')).toBe('solid');
  expect(other.requests).toBe(0);
});

test('what a service says of a single asset is not believed, even if an earlier sync did', async () => {
  const { world, machine, robots } = await signedWorld();
  await world.publish('evil', { 'arm/arm.xml': '<evil/>', 'arm/mesh.stl': 'solid' });
  const lies = ['/assets/:assetId', '/files-presign'];
  const { headers } = await world.client.callWithHeaders(routes.libraries.getLibrary, {
    params: robots,
    query: { release: 'v1' },
  });
  type Call = (route: Endpoint, request: object) => Promise<{ headers?: object }>;
  const lying: Client = new Proxy(world.client, {
    get: (client, property) =>
      property === 'callWithHeaders' || property === 'call'
        ? async (route: Endpoint, request: { params: object }) => {
            const call = client[property] as Call;
            if (!lies.some((end) => route.path.endsWith(end))) return call(route, request);
            const params = { ...request.params, name: 'evil' };
            const answer = await call(route, { ...request, params, query: {} });
            return property === 'call' ? answer : { ...answer, headers };
          }
        : Reflect.get(client, property),
  });
  await machine.sync({ clientFor: async () => lying });
  expect(machine.read('assets/ann/robots/arm/arm.xml')).toBe('<evil/>');
  await expect(machine.sync({ requireSigned, frozen: true })).rejects.toMatchObject({
    code: 'lock_mismatch',
  });
  const careful = world.machine();
  careful.uses('ann/robots@v1/arm');
  lies.pop();
  await careful.sync({ requireSigned, clientFor: async () => lying });
  expect(careful.read('assets/ann/robots/arm/arm.xml')).toBe('<mujoco/>');
});

test('a pull takes only what is signed, also of single assets, and by signers that are trusted', async () => {
  const { world, key } = await signedWorld();
  const pull = (release: string | undefined, required: PullOptions['requireSigned'], assets?: string[]) =>
    pullLibrary(
      world.client,
      { namespace: 'ann', name: 'robots', release },
      join(temporaryFolder(), 'robots'),
      {
        ...{ cacheFolder: temporaryFolder(), stateFolder: temporaryFolder() },
        ...{ requireSigned: required, ...(assets && { assets }) },
      },
    );
  const by = (line: string) => ({ signers: parseTrustedSigners(line, 'signers') });
  expect(await pull('v1', requireSigned, ['arm'])).toMatchObject({ assets: ['arm'] });
  await pull('v1', by(`ann/robots ${key}`));
  await expect(pull('v2', requireSigned)).rejects.toMatchObject({ details: { problem: 'unsigned' } });
  await expect(pull('v1', by(`ann/legs ${key}`))).rejects.toMatchObject({
    details: { problem: 'untrusted_signer' },
  });
  await world.publish('robots', { 'arm/arm.xml': '<mujoco model="newer"/>' });
  await expect(pull(undefined, requireSigned, ['arm'])).rejects.toMatchObject({ code: 'signature' });
});
