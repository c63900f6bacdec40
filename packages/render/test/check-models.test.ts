import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelVerdict } from '@bindery/formats';
import { expect, onTestFinished, test } from 'vitest';
import { createModelCheckPool } from '../src/process-pools.ts';
import { gltfSplats } from './models/splats.ts';

const GENEROUS = { workers: 1, timeoutMs: 240_000, memoryMiB: 2_048 };
const BODY = '<worldbody><body name="b"><geom size="1"/></body></worldbody>';

/** Checks files of one folder in a process that may take what `limits` say. */
async function check(
  format: 'mjcf' | 'gltf',
  files: Record<string, string>,
  limits = GENEROUS,
): Promise<ModelVerdict> {
  const root = mkdtempSync(join(tmpdir(), 'bindery-check-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  const entries = Object.keys(files).filter((path) => /^entry/.test(path));
  const sizes = new Map(Object.entries(files).map(([path, text]) => [path, Buffer.byteLength(text)]));
  await using pool = createModelCheckPool(limits);
  return await pool.check({ format, root, entries, sizes, files: [] });
}

test('MuJoCo compiles each model of an asset with its includes, and reports why a model fails', async () => {
  const verdict = await check('mjcf', {
    'entry-1.xml': '<mujoco><include file="part.xml"/></mujoco>',
    'entry-2.xml': '<mujoco><bodies/></mujoco>',
    'entry-3.xml': `<mujoco>${BODY}</mujoco>`,
    'entry-4.xml': '<mujoco><include file="gone.xml"/></mujoco>',
    'part.xml': `<mujoco>${BODY}</mujoco>`,
  });
  expect(verdict).toEqual({
    issues: [
      { file: 'entry-2.xml', severity: 'error', message: expect.stringContaining('bodies') },
      { file: 'entry-4.xml', severity: 'error', message: expect.stringContaining('gone.xml') },
    ],
    placed: [],
    read: [],
    simulations: [],
  });
});

test('a model that needs a plugin is noted and not called wrong', async () => {
  const plugin = '<extension><plugin plugin="mujoco.sdf.torus"><instance name="t"/></plugin></extension>';
  const verdict = await check('mjcf', {
    'entry-1.xml': `<mujoco>${plugin}${BODY}</mujoco>`,
    'entry-2.xml': '<mujoco><bodies/></mujoco>',
  });
  expect(verdict).toMatchObject({
    issues: [
      { file: 'entry-1.xml', severity: 'note', message: expect.stringContaining('mujoco.sdf.torus') },
      { file: 'entry-2.xml', severity: 'error' },
    ],
  });
});

test('attributes of Gaussian splats are not called invalid', async () => {
  const { document, buffer } = gltfSplats();
  const uri = `data:application/octet-stream;base64,${Buffer.from(buffer).toString('base64')}`;
  const text = JSON.stringify({ ...document, buffers: [{ uri, byteLength: buffer.byteLength }] });
  const verdict = await check('gltf', { 'entry.gltf': text });
  if ('unfinished' in verdict) throw new Error(verdict.unfinished);
  expect(verdict.issues.filter(({ message }) => message.includes('KHR_gaussian'))).toEqual([]);
});

test('MuJoCo reports the size of each mesh of a model once, after scaling', async () => {
  const tetrahedron = 'v 0 0 0\nv 320 0 0\nv 0 320 0\nv 0 0 320\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n';
  const entry = (scale: number) =>
    `<mujoco><asset><mesh name="part" file="part.obj" scale="${scale} ${scale} ${scale}"/></asset>
     <worldbody><geom type="mesh" mesh="part"/><geom type="mesh" mesh="part" pos="1 0 0"/></worldbody></mujoco>`;
  const verdict = await check('mjcf', {
    'entry-1.xml': entry(1),
    'entry-2.xml': entry(0.001),
    'part.obj': tetrahedron,
  });
  if ('unfinished' in verdict) throw new Error(verdict.unfinished);
  expect(verdict.issues).toEqual([]);
  const [metres, millimetres] = verdict.placed;
  expect([metres, millimetres]).toMatchObject([
    { file: 'entry-1.xml', name: 'part' },
    { file: 'entry-2.xml', name: 'part' },
  ]);
  // MuJoCo turns a mesh into the axes of its inertia; along them its box is somewhat longer.
  expect(metres?.side).toBeGreaterThan(320);
  expect(metres?.side).toBeLessThan(2 * 320);
  expect(millimetres?.side).toBeCloseTo((metres?.side ?? 0) / 1_000, 3);
});

test('the glTF validator reads the files a document refers to, and reports errors with their location', async () => {
  const document = (byteLength: number) =>
    JSON.stringify({ asset: { version: '2.0' }, buffers: [{ uri: 'the%20data.bin', byteLength }] });
  expect(await check('gltf', { 'entry.gltf': document(4), 'the data.bin': '1234' })).toEqual({
    issues: [],
    placed: [],
    read: [],
    simulations: [],
  });
  expect(await check('gltf', { 'entry.gltf': document(8), 'the data.bin': '1234' })).toEqual({
    issues: [{ file: 'entry.gltf', severity: 'error', message: expect.stringContaining('/buffers/0') }],
    placed: [],
    read: [],
    simulations: [],
  });
});

test('checking a huge model stops at the time or memory limit', async () => {
  const crowd = `<replicate count="2000" offset="1 0 0"><replicate count="2000" offset="0 1 0"><body><freejoint/><geom size="1"/></body></replicate></replicate>`;
  const verdict = await check(
    'mjcf',
    { 'entry.xml': `<mujoco><worldbody>${crowd}</worldbody></mujoco>` },
    { workers: 1, timeoutMs: 5_000, memoryMiB: 512 },
  );
  expect(verdict).toEqual({
    unfinished: expect.stringMatching(/^took (?:longer than 5000 ms|more than 512 MiB)/),
  });
});

test('a missing model file leaves the check unfinished, without a crash', async () => {
  await using pool = createModelCheckPool(GENEROUS);
  const sizes = new Map([['entry.xml', 10]]);
  const verdict = await pool.check({
    format: 'mjcf',
    root: '/nowhere',
    entries: ['entry.xml'],
    sizes,
    files: [],
  });
  expect(verdict).toEqual({ unfinished: expect.stringContaining('ENOENT') });
});
