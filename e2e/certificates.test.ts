import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Author, createAuthor } from './author.ts';
import { bindery, type RunningService, serve } from './bindery.ts';

let service: RunningService;
let token: string;
const author = (files: Record<string, string>) => Author.create(service, token, files);

beforeAll(async () => {
  service = await serve();
  token = await createAuthor(service);
});
afterAll(() => service?.dispose());

const pendulum = (joint: string, timestep = 0.002) => `<mujoco><option timestep="${timestep}"/><worldbody>
  <body name="bob" pos="0 0 1"><joint name="hinge" axis="0 1 0" ${joint}/><geom type="capsule" fromto="0 0 0 0 0 -.5" size=".05" mass="1"/></body>
  </worldbody></mujoco>`;

test('push --certify publishes what holds in simulation, which info shows and a pull brings along', async () => {
  const ada = await author({ 'sound/pendulum.xml': pendulum('damping=".1"') });
  const pushed = await ada.push('ada/sound', '--certify');
  expect(pushed.certificates).toEqual({
    simulated: 1,
    cached: 0,
    certified: 1,
    uncertified: [],
    engines: [],
  });
  expect(await ada.run('info', 'ada/sound/sound')).toMatchObject({
    certificates: [{ madeBy: 'publisher', verdict: 'passed', file: 'sound/pendulum.xml' }],
  });
  const { stdout } = await bindery(['info', 'ada/sound/sound'], { env: ada.env });
  expect(stdout).toMatch(/^simulation +passed in MuJoCo [\d.]+, says the publisher$/m);
  const folder = join(await ada.pullAll('ada/sound'), '.bindery/certificates');
  expect((await readdir(folder)).sort()).toEqual(['sound.json', 'sound.webp']);
  expect((await readFile(join(folder, 'sound.webp'))).subarray(8, 12).toString()).toBe('WEBP');
  expect((await ada.push('ada/sound', '--certify')).certificates).toMatchObject({ simulated: 0, cached: 1 });
});

test('a robot that explodes is refused with its reason, and nothing is published', async () => {
  const ada = await author({ 'stiff/pendulum.xml': pendulum('stiffness="4e5" springref=".5"', 0.02) });
  const { exitCode, stderr } = await bindery(['push', ada.folder, 'ada/stiff', '--certify'], {
    env: ada.env,
  });
  expect(exitCode).toBe(7);
  expect(stderr).toMatch(/^Error: Robots fail in simulation; nothing was published:$/m);
  expect(stderr).toMatch(
    /^ {2}stiff\/pendulum\.xml: at rest, .* of hinge is huge .* \[simulation-unstable\]$/m,
  );
  await expect(ada.run('info', 'ada/stiff')).rejects.toThrow('exit 5');
});

test('pull --as writes an asset in another format, with its proof and what was lost', async () => {
  const ada = await author({ 'arm/arm.xml': pendulum('range="-60 60"') });
  await ada.push('ada/arms');
  const into = join(ada.home, 'arm-usd');
  const pulled = await ada.run('pull', 'ada/arms/arm', '--as', 'usd', '-o', into);
  expect(pulled).toMatchObject({ as: 'usd', unchanged: false, entry: expect.stringMatching(/\.usdz?$/) });
  expect(pulled.proof.length).toBeGreaterThan(3);
  for (const { measured, bound } of pulled.proof) expect(measured).toBeLessThanOrEqual(bound);
  const written = await readdir(into, { recursive: true, withFileTypes: true });
  const files = written.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  expect(files.sort()).toEqual(pulled.files.map((file: string) => join(into, file)));
  expect(await ada.run('pull', 'ada/arms/arm', '--as', 'usd', '-o', into)).toMatchObject({ unchanged: true });
});

test('pull --as needs one asset, and says how to name it', async () => {
  const ada = await author({ 'arm/arm.xml': pendulum('') });
  const { exitCode, stderr } = await bindery(['pull', 'ada/arms', '--as', 'usd'], { env: ada.env });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('"bindery library pull ada/arms/<asset> --as usd"');
});

/** A cube of this side in OBJ. */
function cube(side: number): string {
  const ends = [-side / 2, side / 2];
  const corners = ends.flatMap((z) => ends.flatMap((y) => ends.map((x) => `v ${x} ${y} ${z}`)));
  const faces = ['1 3 4 2', '5 6 8 7', '1 2 6 5', '3 7 8 4', '1 5 7 3', '2 4 8 6'];
  return [...corners, ...faces.map((face) => `f ${face}`)].join('\n');
}

test('add --as-prop publishes a mesh as a rigid body in three formats', async () => {
  const ada = await author({ 'arm/arm.xml': pendulum(''), 'cube.obj': cube(2) });
  await ada.push('ada/props');
  const asProp = ['--as-prop', '--unit', 'cm', '--density', '1000'];
  const added = await ada.run('add', 'ada/props', join(ada.folder, 'cube.obj'), ...asProp, '--replace');
  expect(added.prop).toMatchObject({ side: expect.closeTo(0.02), mass: expect.closeTo(0.008), parts: 1 });
  expect(added.asset).toMatchObject({
    id: 'cube',
    kind: 'mjcf',
    entry: 'cube/cube.xml',
    entryPoints: { urdf: { file: 'cube/urdf/cube.urdf' }, sdf: { file: 'cube/sdf/cube.sdf' } },
  });
});

test('a mesh whose size fits no prop is refused until its unit is said, and nothing is published', async () => {
  const ada = await author({ 'cube.obj': cube(200) });
  await ada.push('ada/cubes');
  const add = ['library', 'add', 'ada/cubes', join(ada.folder, 'cube.obj'), '--as-prop'];
  const { exitCode, stderr } = await bindery([...add, '--mass', '0.3'], { env: ada.env });
  expect(exitCode).toBe(7);
  expect(stderr).toContain(
    '200 cm long in centimetres or 200 mm long in millimetres; give its unit: cm or mm',
  );
  const { stderr: weightless } = await bindery(add, { env: ada.env });
  expect(weightless).toContain('--as-prop: a mesh has no mass: give a material, a density or its mass');
  expect(await ada.run('info', 'ada/cubes')).toMatchObject({ revision: 1 });
});

test('pull --as --sim-ready makes a rigid body of a mesh, which the library keeps as it is', async () => {
  const ada = await author({ 'cube/cube.obj': cube(2) });
  await ada.push('ada/bodies');
  const out = `${ada.folder}-cube`;
  const pull = ['library', 'pull', 'ada/bodies/cube', '--as', 'mjcf', '-o', out];
  const made = ['--sim-ready', '--material', 'wood', '--unit', 'cm'];
  const { exitCode, stderr, stdout } = await bindery([...pull, ...made], { env: ada.env });
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('the mesh says none: 0.0056 kg')]);
  expect(stdout).toContain('to mjcf into');
  expect(readFileSync(join(out, 'model.xml'), 'utf8')).toMatch(/friction="0.5/);
  const { stdout: again } = await bindery([...pull, ...made], { env: ada.env });
  expect(again).toContain('is up to date in');
  const { stderr: alone } = await bindery([...pull, '--material', 'wood'], { env: ada.env });
  expect(alone).toContain('--material goes with --sim-ready');
  expect(await ada.run('info', 'ada/bodies')).toMatchObject({ revision: 1 });
});
