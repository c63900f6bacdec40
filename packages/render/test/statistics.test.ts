import sharp from 'sharp';
import { expect, test } from 'vitest';
import { convertAsset } from '../src/convert-asset.ts';
import { createThumbnailPool, memoryFiles } from '../src/index.ts';
import { renderThumbnail } from '../src/thumbnail.ts';
import { glb, gltfPylon } from './models/gltf.ts';
import { towerStl, URDF } from './models/robots.ts';
import { pylonSplats, splatPly } from './models/splats.ts';

/** A box of a kilogram and a half, and one of two kilograms that turns above it. */
const MOVING = {
  urdf: `<robot name="r">
    ${['1.5', '2']
      .map(
        (mass, at) => `<link name="l${at}"><inertial><mass value="${mass}"/></inertial>
      <visual><geometry><box size="1 1 1"/></geometry></visual></link>`,
      )
      .join('')}
    <joint name="j" type="revolute"><parent link="l0"/><child link="l1"/><origin xyz="0 0 2"/>
      <limit lower="-1" upper="1"/></joint>
  </robot>`,
  sdf: `<sdf version="1.9"><model name="r">
    ${['1.5', '2']
      .map(
        (
          mass,
          at,
        ) => `<link name="l${at}"><pose>0 0 ${at * 2} 0 0 0</pose><inertial><mass>${mass}</mass></inertial>
      <visual name="v${at}"><geometry><box><size>1 1 1</size></box></geometry></visual></link>`,
      )
      .join('')}
    <joint name="j" type="revolute"><parent>l0</parent><child>l1</child><axis><xyz>0 0 1</xyz></axis></joint>
  </model></sdf>`,
  mjcf: `<mujoco><worldbody><body><freejoint/><geom type="box" size="0.5 0.5 0.5" mass="1.5"/>
    <body pos="0 0 2"><joint type="hinge"/><geom type="box" size="0.5 0.5 0.5" mass="2"/></body>
  </body></worldbody></mujoco>`,
  usda: `#usda 1.0
(upAxis = "Z"
metersPerUnit = 1)
def Xform "r"
{
${['1.5', '2']
  .map(
    (mass, at) => `    def Cube "l${at}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        double size = 1
        float physics:mass = ${mass}
        double3 xformOp:translate = (0, 0, ${at * 2})
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }`,
  )
  .join('\n')}
    def PhysicsRevoluteJoint "j"
    {
        rel physics:body0 = </r/l0>
        rel physics:body1 = </r/l1>
        point3f physics:localPos0 = (0, 0, 2)
    }
}
`,
};

async function measure(kind: string, files: Readonly<Record<string, string | Uint8Array>>) {
  const [entry] = Object.keys(files) as [string];
  const bytes = new Map(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)]));
  const thumbnail = await renderThumbnail({ kind, entry, files: memoryFiles(bytes) });
  if ('warning' in thumbnail) throw new Error(thumbnail.warning);
  if (thumbnail.statistics === undefined) return undefined;
  const { descriptor, ...counted } = thumbnail.statistics;
  expect(descriptor).toMatch(/^shape-1:/);
  return counted;
}

test('a mesh has the size and the triangles of everything it shows, and the animations that its file has', async () => {
  const { document, buffer } = await gltfPylon();
  const animated = { ...document, animations: [{ channels: [], samplers: [] }] };
  expect(await measure('mesh', { 'a.glb': glb(animated, buffer) })).toEqual({
    size: [2, 2, 2],
    up: 'y',
    triangles: 24,
    animations: 1,
  });
});

test('a mesh in a format without a unit of length has no size', async () => {
  expect(await measure('mesh', { 'a.stl': towerStl() })).toEqual({ triangles: 12 });
});

test('a turned part counts by where its corners are', async () => {
  const turned = URDF.replace('rpy="0 0 0.3"', `rpy="0 0 ${Math.PI / 4}"`).replace(
    'size="2 2 0.4"',
    'size="0 0 0"',
  );
  const { size } = (await measure('urdf', { 'a.urdf': turned, 'meshes/tower.stl': towerStl() })) ?? {};
  expect(size).toEqual([0.848528, 0.848528, 1.8]);
});

test('a robot of MJCF weighs what it stands on, and not what lies beside it', async () => {
  const ball = '<body pos="3 0 0"><freejoint/><geom type="sphere" size="0.2" mass="5"/></body>';
  const base = '<body><geom type="box" size="0.5 0.5 0.1" mass="4"/></body>';
  const beside = MOVING.mjcf.replace('</worldbody>', `${ball}${base}</worldbody>`);
  expect(await measure('mjcf', { 'a.xml': beside })).toMatchObject({ mass: 7.5, bodies: 4, joints: 1 });
});

test.each([
  ['URDF', 'urdf', MOVING.urdf],
  ['SDFormat', 'sdf', MOVING.sdf],
  ['MJCF', 'mjcf', MOVING.mjcf],
  ['USD', 'usd', MOVING.usda],
])('a robot in %s has its bodies, joints and mass', async (_, kind, text) => {
  expect(
    await measure(kind, { [`a.${kind === 'mjcf' ? 'xml' : kind === 'usd' ? 'usda' : kind}`]: text }),
  ).toEqual({
    size: [1, 1, 3],
    up: 'z',
    triangles: 24,
    bodies: 2,
    joints: 1,
    chains: [1],
    mass: 3.5,
  });
});

/** Two arms of four joints that hold hands of the same shape, on which jaws turn. */
const LINKS: readonly { name: string; on?: string; size: number[]; at: number[] }[] = [
  { name: 'torso', size: [0.3, 0.3, 0.3], at: [0, 0, 0] },
  ...['left', 'right'].flatMap((side, at) => [
    ...['shoulder', 'elbow', 'wrist', 'roll'].map((name, joint, names) => ({
      ...{ name: `${side}_${name}`, on: joint === 0 ? 'torso' : `${side}_${names[joint - 1]}` },
      ...{ size: [0.1, 0.1, 0.3], at: [joint === 0 ? at - 0.5 : 0, 0, 0.3] },
    })),
    { name: `${side}_hand`, on: `${side}_roll`, size: [0.3, 0.1, 0.05], at: [0, 0, 0.2] },
    { name: `${side}_jaw_1`, on: `${side}_hand`, size: [0.02, 0.08, 0.2], at: [-0.1, 0, 0.125] },
    { name: `${side}_jaw_2`, on: `${side}_hand`, size: [0.02, 0.08, 0.2], at: [0.1, 0, 0.125] },
  ]),
];

function urdfOf(links: typeof LINKS): string {
  const bodies = links.map(
    ({ name, size }) =>
      `<link name="${name}"><visual><geometry><box size="${size.join(' ')}"/></geometry></visual></link>`,
  );
  const joints = links.map(({ name, on, at }) =>
    on === undefined
      ? ''
      : `<joint name="${name}_joint" type="revolute"><parent link="${on}"/><child link="${name}"/>
        <origin xyz="${at.join(' ')}"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>`,
  );
  return `<robot name="r">${bodies.join('')}${joints.join('')}</robot>`;
}

function mjcfOf(links: typeof LINKS, parent?: string): string {
  return links
    .filter(({ on }) => on === parent)
    .map(
      ({ name, size, at }) => `<body name="${name}" pos="${at.join(' ')}">
        ${parent === undefined ? '' : '<joint type="hinge"/>'}
        <geom type="box" size="${size.map((side) => side / 2).join(' ')}"/>${mjcfOf(links, name)}</body>`,
    )
    .join('');
}

test('hands that arms hold are described by name, those of one shape once, and alike in every format', async () => {
  const urdf = urdfOf(LINKS);
  const files = memoryFiles(new Map([['a.urdf', Buffer.from(urdf)]]));
  const usd = await convertAsset({ kind: 'urdf', format: 'urdf', entry: 'a.urdf', files }, 'usd');
  const [ofUrdf, ofMjcf, ofUsd] = await Promise.all([
    measure('urdf', { 'a.urdf': urdf }),
    measure('mjcf', { 'a.xml': `<mujoco><worldbody>${mjcfOf(LINKS)}</worldbody></mujoco>` }),
    measure('usd', { [usd.entry]: usd.files.get(usd.entry) as Uint8Array, ...Object.fromEntries(usd.files) }),
  ]);
  expect(ofUrdf?.hands).toEqual([{ name: 'left_hand', shape: expect.stringMatching(/^shape-1:/) }]);
  expect([ofMjcf?.hands, ofUsd?.hands]).toEqual([ofUrdf?.hands, ofUrdf?.hands]);
  const [hand, ...jaws] = LINKS.filter(({ name }) => /^left_(?:hand|jaw)/.test(name));
  const alone = [{ ...hand, on: undefined }, ...jaws] as unknown as typeof LINKS;
  expect((await measure('urdf', { 'a.urdf': urdfOf(alone) }))?.hands).toBeUndefined();
});

test('splats are counted, without a size', async () => {
  expect(await measure('splat', { 'a.ply': splatPly() })).toEqual({ splats: pylonSplats().length });
});

test('a pool measures in its processes what it draws, and says why it cannot read a file', async () => {
  await using pool = createThumbnailPool({ workers: 1, timeoutMs: 60_000, memoryMiB: 1024 });
  const files = memoryFiles(new Map([['a.stl', towerStl()]]));
  expect(await pool.measure({ kind: 'mesh', entry: 'a.stl', files })).toEqual({
    statistics: { triangles: 12, descriptor: expect.stringMatching(/^shape-1:/) },
  });
  const broken = memoryFiles(new Map([['a.stl', new Uint8Array(200).fill(255)]]));
  expect(await pool.measure({ kind: 'mesh', entry: 'a.stl', files: broken })).toEqual({
    warning: expect.stringContaining('STL'),
  });
});

test('what is missing is counted, and an image has no statistics', async () => {
  expect(await measure('urdf', { 'a.urdf': URDF })).toMatchObject({ triangles: 12, omitted: 1 });
  const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  expect(await measure('image', { 'a.png': picture })).toBeUndefined();
});
