import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createWorld, type Files } from './world.ts';

const urdf = (...meshes: string[]) =>
  `<robot name="r">${meshes.map((mesh) => `<mesh filename="${mesh}"/>`).join('')}</robot>`;
const ARM: Files = {
  'arm_desc/package.xml': '<package format="3"><name>arm_description</name></package>',
  'arm_desc/urdf/arm.urdf': urdf('package://arm_description/meshes/arm.stl', 'package://tools/grip/grip.stl'),
  'arm_desc/meshes/arm.stl': 'arm',
  'grip/grip.stl': 'grip',
};

const CURATION: Files = { 'bindery.yml': 'assets: { arm: { files: ["**"] } }\n' };

/** Ann's project that uses these robots. */
async function project(files: Files) {
  const world = await createWorld();
  await world.publish('robots', {
    ...CURATION,
    ...files,
  });
  const ann = world.machine();
  ann.uses('ann/robots/arm');
  const assets = join(ann.project, 'assets');
  return { ...world, ann, assets, prefix: join(assets, '.ros') };
}

describe('a prefix of ROS 2', () => {
  test('has the packages that assets declare, and those that only their models name', async () => {
    const { ann, assets, prefix } = await project(ARM);
    const { ros } = await ann.sync({ ros: true });
    expect(ros).toEqual({
      prefix: realpathSync(prefix),
      setup: join(realpathSync(prefix), 'setup.sh'),
      packages: ['arm_description', 'tools'],
      ambiguous: [],
    });
    const share = join(prefix, 'share');
    expect(readdirSync(join(share, 'ament_index/resource_index/packages')).sort()).toEqual(ros?.packages);
    expect(readFileSync(join(share, 'arm_description/meshes/arm.stl'), 'utf8')).toBe('arm');
    expect(readFileSync(join(share, 'arm_description/package.xml'), 'utf8')).toBe(
      ARM['arm_desc/package.xml'],
    );
    expect(readFileSync(join(share, 'tools/grip/grip.stl'), 'utf8')).toBe('grip');
    expect(readFileSync(join(share, 'tools/package.xml'), 'utf8')).toContain('<name>tools</name>');
    expect(ann.assets['ann/robots/arm_desc/urdf/arm.urdf']).toBe(ARM['arm_desc/urdf/arm.urdf']);

    renameSync(assets, `${assets}-moved`);
    expect(readFileSync(`${assets}-moved/.ros/share/tools/grip/grip.stl`, 'utf8')).toBe('grip');
  });

  test('comes after what is installed, once', async () => {
    const { ann } = await project(ARM);
    const { ros } = await ann.sync({ ros: true });
    const script = '. "$1"; . "$1"; printf %s "$AMENT_PREFIX_PATH"';
    const sourced = (env: NodeJS.ProcessEnv) =>
      execFileSync('sh', ['-c', script, 'sh', ros?.setup ?? ''], { env, encoding: 'utf8' });
    expect(sourced({ AMENT_PREFIX_PATH: '/opt/ros/jazzy' })).toBe(`/opt/ros/jazzy:${ros?.prefix}`);
    expect(sourced({})).toBe(ros?.prefix);
  });

  test('follows the assets with every sync, and is not laid out over the files of others', async () => {
    const { ann, publish, prefix } = await project(ARM);
    await ann.sync({ ros: true });
    await publish('robots', { ...CURATION, 'arm.urdf': urdf('package://new/arm.stl'), 'new/arm.stl': 'new' });
    await ann.sync({ ros: true, upgrade: 'all' });
    expect(readdirSync(join(prefix, 'share')).sort()).toEqual(['ament_index', 'new']);

    renameSync(prefix, `${prefix}-away`);
    mkdirSync(prefix);
    writeFileSync(join(prefix, 'mine.txt'), 'mine');
    await expect(ann.sync({ ros: true })).rejects.toThrow('was not made by a sync; move it away.');
    expect(readdirSync(prefix)).toEqual(['mine.txt']);
  });

  test('refuses names that lead elsewhere, and says which stand for two folders', async () => {
    const { ann, prefix, assets } = await project({
      'arm_desc/urdf/arm.urdf': urdf(
        'package://../x/a.stl',
        'package://..%2Fy/a.stl',
        'package://two/a.stl',
        'package://ament_index/a.stl',
      ),
      'arm_desc/urdf/other.urdf': urdf('package://two/b.stl'),
      'arm_desc/a.stl': 'a',
      'two/b.stl': 'b',
      'x/a.stl': 'x',
    });
    const { ros } = await ann.sync({ ros: true });
    expect(ros).toMatchObject({ packages: ['two'], ambiguous: ['two'] });
    expect(existsSync(join(assets, 'y')) || existsSync(join(prefix, 'x'))).toBe(false);
  });
});
