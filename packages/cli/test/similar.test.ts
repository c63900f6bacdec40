import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { folderWith } from '../../sdk/test/folder.ts';
import { startService, type TestService } from '../../server/test/service.ts';
import { createTerminalUser, type TerminalUser } from './command-line.ts';

/** A box with these sides. */
function box(x: number, y: number, z: number): string {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map(
    (at) => `v ${(at & 1) * x} ${((at >> 1) & 1) * y} ${(at >> 2) * z}`,
  );
  const faces = ['1 2 4 3', '5 7 8 6', '1 5 6 2', '3 4 8 7', '1 3 7 5', '2 6 8 4'];
  return [...corners, ...faces.map((face) => `f ${face}`)].join('\n');
}

function lamp(...meshes: string[]): string {
  const visuals = meshes.map((mesh) => `<visual><geometry><mesh filename="${mesh}"/></geometry></visual>`);
  return `<robot name="lamp"><link name="lamp">${visuals.join('')}</link></robot>`;
}

const PARTS = { 'lamp/meshes/foot.obj': box(1, 1, 0.1), 'lamp/meshes/pole.obj': box(0.1, 0.1, 2) };
const PACKAGE = {
  ...PARTS,
  'lamp/package.xml': '<package><name>lamp_description</name></package>',
  'lamp/urdf/lamp.urdf': lamp('package://lamp_description/meshes/foot.obj', '../meshes/pole.obj'),
};

let service: TestService;
let ada: TerminalUser;
beforeAll(async () => {
  service = await startService();
  const member = await service.member('ada');
  const person = await createTerminalUser(service.url);
  ada = person.with({ BINDERY_TOKEN: member.headers.authorization?.replace('Bearer ', '') ?? '' });
});
afterAll(async () => {
  await ada.dispose();
  await service.close();
});

/** What the command finds to be like a file: the best hit, and what it says on the way. */
async function searchLike(file: string, ...options: string[]) {
  const { code, stdout, stderr } = await ada.run('search', '--like', file, ...options, '--json');
  return { code, stderr, best: code === 0 ? JSON.parse(stdout).hits[0] : undefined };
}

test('a robot is compared with its meshes in other folders, as if its folder had been published', async () => {
  const folder = folderWith(PACKAGE);
  const published = await ada.run('library', 'push', folder, 'ada/lamps', '--thumbnails');
  expect(published).toMatchObject({ code: 0 });
  const same = await searchLike(join(folder, 'lamp/urdf/lamp.urdf'));
  expect(same).toMatchObject({ code: 0, stderr: '', best: { assetId: 'lamp', match: 'duplicate' } });
  expect(same.best.similarity).toBe(0.99);

  await rm(join(folder, 'lamp/meshes/pole.obj'));
  const without = await searchLike(join(folder, 'lamp/urdf/lamp.urdf'));
  expect(without.best?.match).not.toBe('duplicate');
  expect(without.stderr).toContain(
    'lamp.urdf is compared without parts: 1 file that it names is missing (../meshes/pole.obj)',
  );

  await rm(join(folder, 'lamp/meshes/foot.obj'));
  const nothing = await searchLike(join(folder, 'lamp/urdf/lamp.urdf'));
  expect(nothing.code).not.toBe(0);
  expect(nothing.stderr).toContain(
    '2 files that it names are missing (package://lamp_description/meshes/foot.obj, ../meshes/pole.obj)',
  );
});

/** A robot of these links, each of which hangs on the one before it. */
function chain(links: Readonly<Record<string, string>>, joint = 'fixed'): string {
  const names = Object.keys(links);
  const bodies = names.map(
    (name) =>
      `<link name="${name}"><visual><geometry><mesh filename="${links[name]}"/></geometry></visual></link>`,
  );
  const joints = names
    .slice(1)
    .map(
      (name, at) =>
        `<joint name="j${at}" type="${joint}"><parent link="${names[at]}"/><child link="${name}"/><origin xyz="0 0 1"/></joint>`,
    );
  return `<robot name="arm">${[...bodies, ...joints].join('')}</robot>`;
}

test('a part of a robot is compared with what hangs on it, of a file and of an asset alike', async () => {
  const folder = folderWith({
    'arm/arm.urdf': chain({ base: 'base.obj', wrist: 'wrist.obj', 'gripper tool': 'finger.obj' }),
    'arm/base.obj': box(1, 1, 0.1),
    'arm/wrist.obj': box(0.2, 0.3, 0.4),
    'arm/finger.obj': box(0.02, 0.5, 0.7),
    'hand/hand.urdf': chain({ palm: 'palm.obj', finger: 'finger.obj' }),
    'hand/palm.obj': box(0.2, 0.3, 0.4),
    'hand/finger.obj': box(0.02, 0.5, 0.7),
    'holder/holder.urdf': chain(
      {
        ...{ base: 'base.obj', a: 'base.obj', b: 'base.obj', c: 'base.obj' },
        ...{ gripper: 'palm.obj', finger: 'finger.obj' },
      },
      'continuous',
    ),
    'holder/base.obj': box(1, 1, 0.1),
    'holder/palm.obj': box(0.2, 0.3, 0.4),
    'holder/finger.obj': box(0.02, 0.5, 0.7),
  });
  expect(await ada.run('library', 'push', folder, 'ada/arms', '--thumbnails')).toMatchObject({ code: 0 });
  const arm = join(folder, 'arm/arm.urdf');
  const hand = { assetId: 'hand', match: 'duplicate' };
  expect((await searchLike(arm)).best).toMatchObject({ assetId: 'arm' });
  expect(await searchLike(arm, '--part', 'wrist')).toMatchObject({ code: 0, stderr: '', best: hand });
  expect(await searchLike('ada/arms/arm', '--part', 'wrist')).toMatchObject({
    code: 0,
    stderr: '',
    best: hand,
  });
  // What another robot holds is like it, and not the robot.
  const { stdout } = await ada.run('search', '--like', 'ada/arms/hand');
  expect(stdout).toMatch(/^ada\/arms\/holder {2}0\.9\d {2}its gripper {2}urdf/m);
  // A mesh by its name: a finger alone is no hand.
  expect((await searchLike(arm, '--part', 'finger')).best?.match).not.toBe('duplicate');

  const unknown = await searchLike(arm, '--part', 'gripper');
  expect(unknown.code).not.toBe(0);
  expect(unknown.stderr).toContain(
    'arm.urdf cannot be compared: it has no part gripper; it has gripper tool, base, wrist.',
  );
  const prototype = await searchLike(arm, '--part', '__proto__');
  expect(prototype.stderr).toContain('it has no part __proto__; it has base, wrist, gripper tool.');
});

test('what is meant of a model or a picture is refused where there is none', async () => {
  const file = join(folderWith(PACKAGE), 'lamp/meshes/foot.obj');
  const refused = async (...args: string[]) => (await ada.run('search', ...args)).stderr;
  expect(await refused('lamp', '--part', 'foot')).toContain('--part needs --like.');
  expect(await refused('--like', file, '--crop', '1,2,3,4')).toContain('a model cannot be cropped');
  expect(await refused('--like', file, '--crop', '1,2,0,4')).toContain(
    'expected left, top, width and height in pixels',
  );
});
