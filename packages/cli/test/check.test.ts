import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTerminalUser, waitForExit } from './command-line.ts';

const VISUAL = (mesh: string) => `<visual><geometry><mesh filename="${mesh}"/></geometry></visual>`;
const ROBOT = [
  '<robot name="arm"><link name="base">',
  VISUAL('gone.stl'),
  ...Array.from({ length: 6 }, (_, at) => VISUAL(`package://elsewhere/deep/meshes/part-${at}.stl`)),
  '</link></robot>',
].join('\n');

async function folderOf(files: Record<string, string>) {
  const ada = await createTerminalUser();
  onTestFinished(() => ada.dispose());
  const folder = join(ada.home, 'robots');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return { ada, folder, type: (...words: string[]) => ada.run('library', ...words) };
}

let files: Record<string, string>;
beforeAll(() => {
  const face = (at: number) =>
    `solid ${at}\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 ${at}\nendloop\nendfacet\nendsolid\n`;
  const context = Array.from({ length: 6 }, (_, at) => [`arm/meshes/part-${at}.stl`, face(at)]);
  files = {
    'bindery.yml': 'library:\n  license: MIT\n',
    'arm/arm.urdf': ROBOT,
    ...Object.fromEntries(context),
  };
});

test('library check reports problems by file and line, truncates similar ones, and exits with code 7', async () => {
  const { folder, type } = await folderOf(files);
  const { code, stdout, stderr } = await type('check', folder);
  expect(code).toBe(7);
  expect(stdout.trimEnd().split('\n')).toEqual([
    'arm/arm.urdf:2: error: gone.stl is not in the folder [reference-missing]',
    ...[0, 1, 2].map(
      (at) =>
        `arm/arm.urdf:${at + 3}: warning: package://elsewhere/deep/meshes/part-${at}.stl is not at the given path; ` +
        'a file whose path ends the same way was used [reference-guessed]',
    ),
    'arm/arm.urdf: warning: 3 more of these; --json has all [reference-guessed]',
  ]);
  expect(stderr).toBe('1 asset: 1 error, 6 warnings, 0 notes.\n');
});

test('library check reports the same problem of several files once, and many of one kind in a file shortly', async () => {
  const mesh = (name: string) => `<visual><geometry><mesh filename="${name}.stl"/></geometry></visual>`;
  const robot = Array.from({ length: 32 }, (_, at) => mesh(`part-${at}`)).join('\n');
  const { folder, type } = await folderOf({
    'bindery.yml': 'library:\n  license: MIT\n',
    'arm/left.urdf': `<robot name="arm"><link name="arm">\n${robot}\n</link></robot>`,
    'arm/right.urdf': `<robot name="arm"><link name="arm">\n${robot}\n</link></robot>`,
  });
  const { stdout, stderr } = await type('check', folder);
  const missing = stdout.split('\n').filter((line) => line.includes('reference-missing'));
  expect(missing).toHaveLength(4);
  expect(missing[0]).toBe(
    'arm/left.urdf:2: error: part-0.stl is not in the folder (also arm/right.urdf:2) [reference-missing]',
  );
  expect(missing[3]).toBe('arm/left.urdf: error: 29 more of these; --json has all [reference-missing]');
  expect(stderr).toContain('64 errors');
});

test('library check --json lists every problem, and push --check sends nothing if there are errors', async () => {
  const { folder, type } = await folderOf(files);
  const { code, stdout } = await type('check', folder, '--json');
  expect(code).toBe(7);
  expect(JSON.parse(stdout).problems).toHaveLength(7);
  const pushed = await type('push', folder, 'ada/robots', '--check');
  expect(pushed.code).toBe(7);
  expect(pushed.stderr).toContain('1 error in');
  expect(pushed.stderr).toContain('nothing was sent');
});

test('library check exits with code 0 for a folder without problems', async () => {
  const { folder, type } = await folderOf({
    'bindery.yml': 'library:\n  license: MIT\n',
    'arm/arm.urdf': '<robot name="arm"><link name="base"/></robot>',
  });
  expect(await type('check', folder)).toEqual({
    code: 0,
    stdout: '',
    stderr: '1 asset: 0 errors, 0 warnings, 0 notes.\n',
  });
});

test('library check --simulate reports a robot that explodes, which compiles without a problem', async () => {
  const robot = (gain: number) =>
    '<mujoco><worldbody><body name="arm"><joint name="elbow" axis="0 1 0" damping="1"/>' +
    '<geom type="capsule" fromto="0 0 0 .3 0 0" size=".02"/></body></worldbody>' +
    `<actuator><position joint="elbow" kp="${gain}" ctrlrange="-1 1"/></actuator></mujoco>`;
  const { folder, type } = await folderOf({ 'sound/arm.xml': robot(50), 'stiff/arm.xml': robot(1e8) });
  expect(await type('check', folder)).toMatchObject({ code: 0 });
  const { code, stdout, stderr } = await type('check', folder, '--simulate');
  expect(code).toBe(7);
  expect(stdout).toMatch(/^stiff\/arm\.xml: error: .* of elbow is huge .* \[simulation-unstable\]$/m);
  expect(stdout).not.toMatch(/^sound\/.*simulation/m);
  expect(stderr).toMatch(/^2 models simulated with MuJoCo \d/m);
});

test('Ctrl-C stops library check while models compile', async () => {
  // Takes MuJoCo longer than the minute that a model has.
  const crowd = '<replicate count="20000"><body><freejoint/><geom size="1"/></body></replicate>';
  const model = `<mujoco><worldbody>${crowd}</worldbody></mujoco>`;
  const models = Array.from({ length: 12 }, (_, at) => [`crowd-${at}/crowd.xml`, model]);
  const { ada, folder } = await folderOf(Object.fromEntries(models));
  const child = ada.start('library', 'check', folder, '--json');
  const children = `/proc/${child.pid}/task/${child.pid}/children`;
  await expect.poll(() => readFile(children, 'utf8')).not.toBe('');
  child.kill('SIGINT');
  const { code, stdout, stderr } = await waitForExit(child);
  expect([code, stdout]).toEqual([130, '']);
  expect(JSON.parse(stderr)).toMatchObject({ error: 'interrupted', exitCode: 130 });
});

test('library check --simulate simulates URDF as the MJCF that it becomes, and says what that left out', async () => {
  const link = (name: string) => `<link name="${name}"><inertial><origin xyz="0 0 -.2"/><mass value="1"/>
    <inertia ixx=".02" iyy=".02" izz=".001" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 -.2"/><geometry><box size=".05 .05 .4"/></geometry></visual></link>`;
  const joint = '<parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>';
  const { folder, type } = await folderOf({
    'arm/arm.urdf': `<robot name="arm">${link('base')}${link('bob')}<joint name="swing" type="revolute">${joint}
      <limit lower="-1" upper="1" effort="5" velocity="2"/></joint></robot>`,
    'loop/loop.urdf': `<robot name="loop">${link('base')}${link('bob')}<joint name="a" type="continuous">${joint}</joint>
      <joint name="b" type="continuous"><parent link="bob"/><child link="base"/></joint></robot>`,
  });
  const { stdout, stderr } = await type('check', folder, '--simulate');
  expect(stdout).toMatch(
    /^arm\/arm\.urdf: note: simulated without velocity limit swing: .* \[simulated-without\]$/m,
  );
  expect(stdout).toMatch(/^loop\/loop\.urdf: note: .* \[not-simulated\]$/m);
  expect(stderr).toMatch(/^1 model simulated with MuJoCo \d/m);
});
