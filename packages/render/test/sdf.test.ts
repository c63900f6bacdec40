import { describe, expect, test } from 'vitest';
import { transformPoints } from '../../formats/src/model/matrix.ts';
import { readMechanism } from '../../formats/src/read.ts';
import { createRendererContext } from '../src/host/renderer-context.ts';
import { memoryFiles } from '../src/index.ts';
import { renderThumbnail } from '../src/thumbnail.ts';
import { towerStl } from './models/robots.ts';
import { loadSdf } from './models/scenes.ts';

const encoder = new TextEncoder();

function inMemory(files: Readonly<Record<string, string | Uint8Array>>) {
  return memoryFiles(
    new Map(
      Object.entries(files).map(([path, content]) => [
        path,
        typeof content === 'string' ? encoder.encode(content) : content,
      ]),
    ),
  );
}

/** What is drawn of the first file: where each shape lies and its colour, and what is missing. */
async function drawn(files: Readonly<Record<string, string | Uint8Array>>) {
  const context = createRendererContext(inMemory(files));
  const scene = await loadSdf(Object.keys(files)[0] as string, context);
  return {
    places: scene.instances.map(({ transform }) =>
      transform.slice(12, 15).map((x) => Math.round(x * 100) / 100),
    ),
    corners: scene.instances.map(({ geometry, transform }) =>
      [...transformPoints(transform, geometry.positions).slice(0, 3)].map(Math.round),
    ),
    colors: scene.instances.map(({ material }) => material.baseColor.map((x) => Math.round(x * 100) / 100)),
    missing: Object.values(context.omissions.summary() ?? {}).flatMap(({ named }) => named),
  };
}

function sdf(content: string, version = '1.7'): string {
  return `<sdf version="${version}">${content}</sdf>`;
}

function box(pose = '', material = ''): string {
  return `<visual name="v">${pose}<geometry><box><size>1 1 1</size></box></geometry>${material}</visual>`;
}

describe('a model in SDFormat', () => {
  test('is placed by its poses, relative to the frames that they name', async () => {
    const model = sdf(`<model name="m"><pose>10 0 0 0 0 0</pose>
      <link name="a"><pose>1 0 0 0 0 90</pose>${box()}</link>
      <link name="b"><pose degrees="true" relative_to="f">0 0 1 0 0 0</pose>${box('<pose>0 0 0.5 0 0 0</pose>')}</link>
      <frame name="f" attached_to="c"><pose degrees="true">0 2 0 0 0 90</pose></frame>
      <link name="c"><pose>3 0 0 0 0 0</pose></link>
      <joint name="j" type="revolute"><parent>a</parent><child>b</child></joint>
    </model>`);
    expect((await drawn({ 'm.sdf': model })).places).toEqual([
      [11, 0, 0],
      [13, 2, 1.5],
    ]);
  });

  test('is placed relative to frames of models inside of it, included and merged ones too', async () => {
    const files = {
      'cart/model.sdf': sdf(`<model name="cart">
        <model name="arm"><pose>0 1 0 0 0 0</pose><link name="hand"><pose>0 0 0.2 0 0 0</pose></link></model>
        <frame name="grip" attached_to="arm::hand"><pose>0 0 0.5 0 0 0</pose></frame>
        <include><uri>model://base</uri><name>left</name><pose>5 0 0 0 0 0</pose></include>
        <include merge="true"><uri>model://base</uri><pose>0 0 3 0 0 0</pose></include>
        <link name="cup"><pose relative_to="grip">0 0 0 0 0 0</pose>${box()}</link>
        <link name="lamp"><pose relative_to="left::top">0 0 0 0 0 0</pose>${box()}</link>
        <link name="flag"><pose relative_to="top">0 0 0 0 0 0</pose>${box()}</link></model>`),
      'cart/model.config': '<model><sdf>model.sdf</sdf></model>',
      'base/model.config': '<model><sdf>model.sdf</sdf></model>',
      'base/model.sdf': sdf('<model name="base"><link name="top"><pose>0 0 1 0 0 0</pose></link></model>'),
    };
    expect((await drawn(files)).places).toEqual([
      [0, 1, 0.7],
      [5, 0, 1],
      [0, 0, 4],
    ]);
  });

  test('is drawn with another model of its database, though it has a model.config of its own', async () => {
    const files = {
      'cart/model.sdf': sdf('<model name="cart"><include><uri>model://base</uri></include></model>'),
      'cart/model.config': '<model><sdf>model.sdf</sdf></model>',
      'base/model.config': '<model><sdf>model.sdf</sdf></model>',
      'base/model.sdf': sdf(`<model name="base"><link name="top">${box()}</link></model>`),
    };
    expect(await drawn(files)).toMatchObject({ places: [[0, 0, 0]], missing: [] });
  });

  test('goes without the sun and the ground of Gazebo, which are not missing', async () => {
    const world = `<world name="w"><include><uri>model://sun</uri></include><include><uri>model://ground_plane</uri></include><model name="m"><link name="l">${box()}</link></model></world>`;
    expect(await drawn({ 'w.world': sdf(world) })).toMatchObject({ places: [[0, 0, 0]], missing: [] });
  });

  test('shows the named parts of a mesh, centred if it says so, and names those that the mesh lacks', async () => {
    const part = (name: string, x: number) =>
      `o ${name}\nv ${x} 0 0\nv ${x + 2} 0 0\nv ${x} 2 0\nf -3 -2 -1\n`;
    const shows = (name: string, more = '') =>
      `<visual name="${name}"><geometry><mesh><uri>all.obj</uri><submesh><name>${name}</name>${more}</submesh></mesh></geometry></visual>`;
    const files = {
      'm.sdf': sdf(
        `<model name="m"><link name="l">${shows('arm', '<center>true</center>')}${shows('post')}${shows('gone')}</link></model>`,
      ),
      'all.obj': part('plate', 0) + part('arm', 10) + part('post', 20),
    };
    const { corners, missing } = await drawn(files);
    expect(corners).toEqual([
      [-1, -1, 0],
      [20, 0, 0],
    ]);
    expect(missing).toEqual([{ name: 'all.obj gone', reason: 'it has no submesh gone' }]);
  });

  test.each([
    [
      'a height map',
      '<model name="m"><link name="l"><visual name="hill"><geometry><heightmap><uri>a.png</uri></heightmap></geometry></visual></link></model>',
      'hill: shapes of kind heightmap are not drawn',
    ],
    [
      'an actor',
      '<actor name="walker"><skin><filename>a.dae</filename></skin></actor>',
      'walker: animated actors are not drawn',
    ],
  ])('says so if all that it shows is %s', async (_what, content, reason) => {
    const files = inMemory({ 'm.sdf': sdf(content) });
    expect(await renderThumbnail({ kind: 'sdf', entry: 'm.sdf', files })).toEqual({
      warning: `nothing visible to draw: ${reason}`,
    });
  });

  test('is read if its texts are CDATA', async () => {
    const link =
      '<link name="l"><visual name="v"><geometry><mesh><uri><![CDATA[a.stl]]></uri></mesh></geometry></visual></link>';
    const files = { 'm.sdf': sdf(`<model name="m">${link}</model>`), 'a.stl': towerStl() };
    expect(await drawn(files)).toMatchObject({ places: [[0, 0, 0]], missing: [] });
  });

  test('includes other models, each in the newest SDF version of its model.config', async () => {
    const files = {
      'table/model.sdf': sdf(
        '<model name="t"><include><uri>model://cup</uri><pose>0 0 1 0 0 0</pose></include><include><uri>model://gone</uri></include></model>',
      ),
      'cup/model.config': '<model><sdf version="1.4">old.sdf</sdf><sdf version="1.6">model.sdf</sdf></model>',
      'cup/model.sdf': sdf(
        `<model name="c"><pose>0 0 0.5 0 0 0</pose><link name="l">${box()}</link></model>`,
      ),
      'cup/old.sdf': sdf('<model name="c"/>'),
    };
    expect(await drawn(files)).toMatchObject({
      places: [[0, 0, 1]],
      missing: [{ name: 'model://gone', reason: 'no such model among the files' }],
    });
  });

  test('takes its colours from its materials, its material scripts and the built-in ones of Gazebo', async () => {
    const script = (uri: string, name: string) =>
      `<material><script><uri>${uri}</uri><name>${name}</name></script></material>`;
    const model = sdf(`<model name="m"><link name="l">
      ${box('', '<material><diffuse>0 1 0 0.5</diffuse></material>')}
      ${box('', script('file://media/materials/scripts/gazebo.material', 'Gazebo/Red'))}
      ${box('', script('model://m/materials/scripts', 'm/blue'))}
      ${box('', script('file://media/materials/scripts/gazebo.material', 'Gazebo/Bricks'))}
      ${box('', script('model://m/materials/scripts', 'Gazebo/constructor'))}
    </link></model>`);
    const { colors, missing } = await drawn({
      'm/model.sdf': model,
      'm/materials/scripts/m.material':
        'material other\n{\n}\nmaterial m/blue\n{ technique { pass {\n diffuse 0 0 1 1\n } } }',
    });
    expect(colors.slice(0, 3)).toEqual([
      [0, 1, 0, 0.5],
      [1, 0, 0, 1],
      [0, 0, 1, 1],
    ]);
    const reason = 'its material is not among the files';
    expect(missing).toEqual(['Gazebo/Bricks', 'Gazebo/constructor'].map((name) => ({ name, reason })));
  });

  test('finds each material script from the file that names it', async () => {
    const script = '<material><script><uri>looks.material</uri><name>look</name></script></material>';
    const model = (name: string) =>
      sdf(`<model name="${name}"><link name="l">${box('', script)}</link></model>`);
    const look = (color: string) => `material look\n{\n diffuse ${color} 1\n}`;
    const { colors } = await drawn({
      'both/model.sdf': sdf(
        '<model name="both"><include><uri>model://red</uri></include><include><uri>model://blue</uri></include></model>',
      ),
      'red/model.sdf': model('red'),
      'red/looks.material': look('1 0 0'),
      'blue/model.sdf': model('blue'),
      'blue/looks.material': look('0 0 1'),
    });
    expect(colors).toEqual([
      [1, 0, 0, 1],
      [0, 0, 1, 1],
    ]);
  });

  test('reports what cannot be drawn', async () => {
    const model = sdf(`<model name="m"><link name="l">${box()}
      <visual name="hill"><geometry><heightmap/></geometry></visual>
      <visual name="hand"><geometry><mesh><uri>model://m/hand.stl</uri></mesh></geometry></visual>
      <particle_emitter name="smoke" type="point"/></link></model>`);
    expect((await drawn({ 'm/model.sdf': model })).missing.map(({ name }) => name)).toEqual([
      'hill',
      'model://m/hand.stl',
      'smoke',
    ]);
  });

  test('shows its collision shapes if it has no visuals, and a plane if it has nothing else', async () => {
    const shape = '<collision name="c"><geometry><sphere><radius>1</radius></sphere></geometry></collision>';
    expect(
      (await drawn({ 'm.sdf': sdf(`<model name="m"><link name="l">${shape}</link></model>`) })).places,
    ).toHaveLength(1);
    const ground = '<visual name="g"><geometry><plane><size>2 2</size></plane></geometry></visual>';
    expect(
      (await drawn({ 'm.sdf': sdf(`<model name="m"><link name="l">${ground}</link></model>`) })).places,
    ).toHaveLength(1);
  });

  test('that includes itself ends in a warning or an omission', async () => {
    const files = {
      'm/model.sdf': sdf(
        `<model name="m"><link name="l">${box()}</link><include><uri>model://m</uri></include></model>`,
      ),
    };
    const thumbnail = await renderThumbnail({ kind: 'sdf', entry: 'm/model.sdf', files: inMemory(files) });
    expect('warning' in thumbnail || thumbnail.omissions !== undefined).toBe(true);
  });

  test('is drawn with its meshes', async () => {
    const files = {
      'm/model.sdf': sdf(
        '<model name="m"><link name="l"><visual name="v"><geometry><mesh><uri>model://m/tower.stl</uri><scale>2 2 2</scale></mesh></geometry></visual></link></model>',
      ),
      'm/tower.stl': towerStl(),
    };
    const thumbnail = await renderThumbnail({ kind: 'sdf', entry: 'm/model.sdf', files: inMemory(files) });
    expect(thumbnail).toEqual({
      webp: expect.any(Uint8Array),
      statistics: expect.not.objectContaining({ omitted: expect.anything() }),
    });
  });
});

describe('an inertial that is computed', () => {
  const inertialOf = async (inertial: string, collisions: string) => {
    const content = sdf(`<model name="m"><link name="l">${inertial}${collisions}</link></model>`, '1.11');
    const context = createRendererContext(inMemory({ 'm.sdf': content }));
    const { bodies } = await readMechanism({ kind: 'sdf', entry: 'm.sdf' }, context, { roles: ['visual'] });
    return bodies[0]?.inertial;
  };
  const bar =
    '<collision name="c"><pose>0 0 .5 0 0 0</pose><geometry><box><size>.1 .2 1</size></box></geometry></collision>';

  test('has the density of its shapes', async () => {
    const inertial = await inertialOf('<inertial auto="true"><density>2700</density></inertial>', bar);
    expect(inertial?.mass).toBeCloseTo(54);
    expect(inertial?.center).toEqual([0, 0, expect.closeTo(0.5)]);
    expect(inertial?.inertia.map((moment) => Number(moment.toFixed(6)) + 0)).toEqual([
      4.68, 4.545, 0.225, 0, 0, 0,
    ]);
  });

  test('is scaled to the mass that the link states', async () => {
    const inertial = await inertialOf('<inertial auto="true"><mass>5</mass></inertial>', bar);
    expect(inertial?.mass).toBe(5);
    expect(inertial?.inertia.slice(0, 3).map((moment) => moment.toFixed(4))).toEqual([
      '0.4333',
      '0.4208',
      '0.0208',
    ]);
  });

  test('joins shapes of different densities', async () => {
    const ball = (x: number, density: number) =>
      `<collision name="b${x}"><density>${density}</density><pose>${x} 0 0 0 0 0</pose><geometry><sphere><radius>1</radius></sphere></geometry></collision>`;
    const inertial = await inertialOf('<inertial auto="true"/>', ball(-4, 100) + ball(4, 300));
    expect(inertial?.mass).toBeCloseTo((400 * 4 * Math.PI) / 3);
    expect(inertial?.center[0]).toBeCloseTo(2);
  });
});
