import { describe, expect, test } from 'vitest';
import { loadMjcf } from '../../formats/src/mjcf/read.ts';
import type { Front, Scene } from '../../formats/src/model/scene.ts';
import { createRendererContext } from '../src/host/renderer-context.ts';
import { memoryFiles } from '../src/index.ts';
import { renderThumbnail } from '../src/thumbnail.ts';
import { glb, gltfPylon } from './models/gltf.ts';
import { loadUrdf } from './models/scenes.ts';
import { decode, difference, isGreen, isSolid, measurePixels } from './pictures.ts';

function files(entry: string, text: string) {
  return memoryFiles(new Map([[entry, Buffer.from(text)]]));
}

function mjcf(world: string): Promise<Scene> {
  return loadMjcf(
    'a.xml',
    createRendererContext(files('a.xml', `<mujoco><worldbody>${world}</worldbody></mujoco>`)),
  );
}

function urdf(robot: string): Promise<Scene> {
  return loadUrdf('a.urdf', createRendererContext(files('a.urdf', `<robot name="r">${robot}</robot>`)));
}

async function draw(kind: string, entry: string, bytes: Uint8Array): Promise<Uint8Array> {
  const thumbnail = await renderThumbnail({ kind, entry, files: memoryFiles(new Map([[entry, bytes]])) });
  if ('warning' in thumbnail) throw new Error(thumbnail.warning);
  return thumbnail.webp;
}

/** A turn about Z that brings a side to where −Y was. */
const SIDES: readonly [Front, number][] = [
  ['-y', 0],
  ['x', 90],
  ['y', 180],
  ['-x', -90],
];

/** A box with a thin door on its −Y side, all of it turned. */
function cupboard(degrees: number, joint = '<joint axis="0 0 1"/>', more = ''): string {
  return `<body euler="0 0 ${degrees}"><geom type="box" size="0.4 0.3 0.5"/>
    <body pos="0 -0.32 0">${joint}<geom type="box" size="0.39 0.02 0.48" rgba="0.1 0.8 0.1 1"/>${more}</body></body>`;
}

describe('the front of furniture', () => {
  test.each(SIDES)('is the side of its doors: %s', async (side, degrees) => {
    expect((await mjcf(cupboard(degrees))).front).toBe(side);
  });

  test('takes up over 40% of the drawn pixels', async () => {
    const scene = `<mujoco><worldbody>${cupboard(0)}</worldbody></mujoco>`;
    const picture = await decode({ webp: await draw('mjcf', 'a.xml', Buffer.from(scene)) });
    const [door, all] = [measurePixels(picture, isGreen).count, measurePixels(picture, isSolid).count];
    expect(door).toBeGreaterThan(0.4 * all);
  });

  test('is the side of its drawers', async () => {
    const drawer = `<body pos="0.04 0 0"><joint type="slide" axis="1 0 0"/><geom type="box" size="0.3 0.3 0.1"/></body>`;
    const chest = `<body euler="0 0 90"><geom type="box" size="0.3 0.4 0.5"/>${drawer}</body>`;
    expect((await mjcf(chest)).front).toBe('y');
  });

  test('is the side whose knobs protrude at their own height, even if another part reaches further', async () => {
    const hood = `<geom type="box" size="0.4 0.2 0.1" pos="0 0.2 1"/>
      <body pos="0 -0.02 1"><joint axis="0 1 0"/><geom type="cylinder" size="0.03 0.02" euler="90 0 0"/></body>`;
    expect((await mjcf(`<body><geom type="box" size="0.4 0.4 0.4"/>${hood}</body>`)).front).toBe('-y');
  });

  test('is found in a URDF if a joint moves the door, and is +x if the door is fixed', async () => {
    const box = (size: string) => `<visual><geometry><box size="${size}"/></geometry></visual>`;
    const cabinet = (
      type: string,
    ) => `<link name="body">${box('0.6 0.8 1')}</link><link name="door">${box('0.04 0.78 0.96')}</link>
      <joint name="hinge" type="${type}"><parent link="body"/><child link="door"/><origin xyz="-0.32 0 0"/><axis xyz="0 0 1"/></joint>`;
    expect((await urdf(cabinet('revolute'))).front).toBe('-x');
    expect((await urdf(cabinet('prismatic'))).front).toBe('-x');
    expect((await urdf(cabinet('fixed'))).front).toBe('x');
  });
});

describe('the front is +x, the driving direction, for', () => {
  test.each([
    ['a box with a fixed front', cupboard(0, '')],
    ['an arm on a base', cupboard(0, '<joint/>', '<body pos="0 -0.1 0"><joint/><geom size="0.1"/></body>')],
    ['a free-floating box', `<body><freejoint/>${cupboard(0)}</body>`],
    [
      'a lever that extends far beyond its base',
      cupboard(0, '<joint/>', '<geom size="0.1" pos="0 -0.5 0"/>'),
    ],
    ['doors on two sides', cupboard(0) + cupboard(180)],
    ['a scene without a stationary part', '<body><joint/><geom size="1"/></body>'],
  ])('%s', async (_, world) => {
    expect((await mjcf(world)).front).toBe('x');
  });
});

describe('a robot in a scene', () => {
  const robot = `<body pos="0 0 0.5"><freejoint/><geom size="0.3" rgba="0.1 0.8 0.1 1"/>
    <body pos="0.3 0 0"><joint/><geom type="capsule" size="0.1 0.2" rgba="0.1 0.8 0.1 1"/></body></body>`;
  const stairs = [2, 3, 4, 5].map((x) => `<geom type="box" size="0.5 1 ${x / 10}" pos="${x} 0 0"/>`).join('');

  test('fills the picture, as terrain around it and under its feet is left out', async () => {
    const ground = '<geom type="box" size="9 9 0.1" pos="0 0 0.1"/>';
    expect((await mjcf(robot + stairs)).instances).toHaveLength(2);
    expect((await mjcf(robot + ground)).instances).toHaveLength(2);
    expect((await mjcf(`${robot}<body name="scene">${stairs}</body>`)).instances).toHaveLength(2);
    const alone = await draw(
      'mjcf',
      'a.xml',
      Buffer.from(`<mujoco><worldbody>${robot}</worldbody></mujoco>`),
    );
    const among = await draw(
      'mjcf',
      'a.xml',
      Buffer.from(`<mujoco><worldbody>${stairs}${robot}</worldbody></mujoco>`),
    );
    expect(among).toEqual(alone);
  });

  test('is drawn with objects that are not much larger than itself', async () => {
    const ball = '<body pos="0.8 0 0.2"><freejoint/><geom size="0.2"/></body>';
    expect((await mjcf(robot + ball)).instances).toHaveLength(3);
    const step = '<geom type="box" size="0.5 0.5 0.1" pos="0.5 0 0.1"/>';
    expect((await mjcf(robot + step)).instances).toHaveLength(3);
  });

  test('is drawn with what it holds, and without distant objects', async () => {
    const held = '<body pos="0 0 0.9"><freejoint/><geom size="0.11"/></body>';
    const target = '<geom size="0.1" pos="9 9 0"/>';
    expect((await mjcf(robot + held + target)).instances).toHaveLength(3);
  });

  test('is drawn with the rail that it is mounted on', async () => {
    const cart = '<body><joint type="slide" axis="1 0 0"/><geom type="box" size="0.1 0.1 0.1"/></body>';
    const rail = '<geom type="capsule" size="0.02 2" euler="0 90 0"/>';
    const far = '<geom size="0.1" pos="0 9 0"/>';
    expect((await mjcf(cart + rail + far)).instances).toHaveLength(2);
  });

  test('is not assumed if all joints are free joints: everything is drawn', async () => {
    expect((await mjcf(`<body><freejoint/><geom size="0.1"/></body>${stairs}`)).instances).toHaveLength(5);
  });
});

test('URDF links are attached to a world link that the file does not declare', async () => {
  const ball = (name: string) =>
    `<link name="${name}"><visual><geometry><sphere radius="1"/></geometry></visual></link>`;
  const joint = (parent: string, child: string) =>
    `<joint name="${child}" type="fixed"><parent link="${parent}"/><child link="${child}"/><origin xyz="0 0 3"/></joint>`;
  const { instances } = await urdf(ball('a') + ball('b') + joint('world', 'a') + joint('a', 'b'));
  expect(instances.map(({ transform }) => transform[14])).toEqual([3, 6]);
});

test('a model far from the origin, as with map coordinates, is as sharp as one at the origin', async () => {
  const { document, buffer } = await gltfPylon();
  const at = (translation: readonly number[]) =>
    draw('mesh', 'a.glb', glb({ ...document, nodes: [{ mesh: 0, translation }] }, buffer));
  const here = await at([0, 0, 0]);
  expect(await difference(await at([6_378_137, 4_500_000, -3_000_000]), here)).toBeLessThan(0.5);
});
