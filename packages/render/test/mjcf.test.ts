import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { ASSET_FOLDER } from '../../formats/src/mjcf/model-files.ts';
import { loadMjcf } from '../../formats/src/mjcf/read.ts';
import { compileMjcf } from '../src/check-models.ts';
import { withMujoco } from '../src/host/mujoco.ts';
import { createRendererContext } from '../src/host/renderer-context.ts';
import { memoryFiles } from '../src/index.ts';
import { renderThumbnail } from '../src/thumbnail.ts';
import { DEFORMABLES } from './models/mjcf.ts';
import { towerStl } from './models/robots.ts';
import { countRows, decode, difference, isGreen, isRed, isSolid, measurePixels } from './pictures.ts';

async function draw(files: ReadonlyMap<string, Uint8Array>): Promise<Uint8Array> {
  const thumbnail = await renderThumbnail({ kind: 'mjcf', entry: 'a.xml', files: memoryFiles(files) });
  if ('warning' in thumbnail) throw new Error(thumbnail.warning);
  return thumbnail.webp;
}

function model(text: string, ...beside: [string, Uint8Array][]): Map<string, Uint8Array> {
  return new Map([['a.xml', Buffer.from(`<mujoco>${text}</mujoco>`)], ...beside]);
}

describe('a mesh file of a MuJoCo model', () => {
  test('is compiled by MuJoCo if a visible box is fitted to it', async () => {
    const fitted = await draw(
      model(
        `<asset><mesh name="m" file="tower.stl" scale="1 1 2"/></asset>
        <worldbody><body><geom type="box" mesh="m"/></body></worldbody>`,
        ['tower.stl', towerStl()],
      ),
    );
    const box = await draw(
      model('<worldbody><body><geom type="box" size="0.3 0.3 1.6"/></body></worldbody>'),
    );
    expect(await difference(fitted, box)).toBeLessThan(1);
  });

  test('is not confused with another file of the same name', async () => {
    const small = towerStl();
    const files = model(
      `<asset><mesh name="m" file="a/tower.stl"/><mesh name="n" file="b/tower.stl"/></asset>
      <worldbody><body><geom type="mesh" mesh="m" rgba="0.9 0.1 0.1 1"/>
      <geom type="mesh" mesh="n" pos="2 0 0" rgba="0.1 0.8 0.1 1"/></body></worldbody>`,
      ['a/tower.stl', small],
      ['b/tower.stl', taller(small)],
    );
    const picture = await decode({ webp: await draw(files) });
    expect(measurePixels(picture, isGreen).count).toBeGreaterThan(2 * measurePixels(picture, isRed).count);
  });

  test('has only its first object if it is an OBJ of several, as in MuJoCo', async () => {
    const tetrahedron = (x: number, first: number) =>
      `v ${x} 0 0\nv ${x + 1} 0 0\nv ${x} 1 0\nv ${x} 0 1\n${['1 3 2', '1 2 4', '1 4 3', '2 3 4'].map((face) => `f ${face.replace(/\d/g, (corner) => String(Number(corner) + first))}\n`).join('')}`;
    const two = `o a\n${tetrahedron(0, 0)}o b\n${tetrahedron(5, 4)}`;
    const shows = (more: string) =>
      model(
        `${more}<asset><mesh name="m" file="m.obj"/></asset><worldbody><body><geom type="mesh" mesh="m"/></body></worldbody>`,
        ['m.obj', Buffer.from(two)],
      );
    const triangles = async (more: string) => {
      const scene = await loadMjcf('a.xml', createRendererContext(memoryFiles(shows(more))));
      return scene.instances.map(({ geometry }) => geometry.indices.length / 3);
    };
    expect(await triangles('')).toEqual([4]);
    expect(await triangles('<custom><text name="t" data=\'alignfree="true"\'/></custom>')).toEqual([4]);
  });

  test("that is broken is reported with MuJoCo's error", async () => {
    const files = model(
      '<asset><mesh name="m" file="m.stl"/></asset><worldbody><body><geom type="mesh" mesh="m"/></body></worldbody>',
      ['m.stl', new Uint8Array(200).fill(255)],
    );
    expect(await renderThumbnail({ kind: 'mjcf', entry: 'a.xml', files: memoryFiles(files) })).toEqual({
      warning: expect.stringContaining('MuJoCo cannot load the model'),
    });
  });
});

describe('a file that a MuJoCo model refers to is the one that discovery finds', () => {
  const shown = (file: string, more = '') =>
    `${more}<asset><mesh name="m" file="${file}"/></asset><worldbody><body><geom type="mesh" mesh="m"/></body></worldbody>`;
  const stl = (path: string): [string, Uint8Array] => [path, towerStl()];

  test.each<[string, ReadonlyMap<string, Uint8Array>]>([
    [
      'at a path of another machine',
      model(shown('/home/ada/robots/meshes/tower.stl'), stl('meshes/tower.stl')),
    ],
    ['through the folder of the checkout', model(shown('../bot/meshes/tower.stl'), stl('meshes/tower.stl'))],
    [
      'in another folder than it says',
      model(shown('gone/v2/meshes/tower.stl'), stl('x/v2/meshes/tower.stl')),
    ],
    ['in another letter case', model(shown('Meshes/Tower.STL'), stl('meshes/tower.stl'))],
    [
      'without its path',
      model(shown('some/where/tower.stl', '<compiler strippath="true" meshdir="m"/>'), stl('m/tower.stl')),
    ],
    [
      'in an included file, by a path of another machine',
      model(
        '<include file="/home/ada/parts/assets.xml"/><worldbody><body><geom type="mesh" mesh="m"/></body></worldbody>',
        [
          'parts/assets.xml',
          Buffer.from('<mujoco><asset><mesh name="m" file="C:\\ws\\meshes\\tower.stl"/></asset></mujoco>'),
        ],
        stl('meshes/tower.stl'),
      ),
    ],
    [
      'in a model in UTF-16',
      new Map([
        [
          'a.xml',
          Buffer.from(
            `\uFEFF<?xml version="1.0" encoding="UTF-16"?><mujoco>${shown('tower.stl')}</mujoco>`,
            'utf16le',
          ),
        ],
        stl('tower.stl'),
      ]),
    ],
  ])('%s', async (_where, files) => {
    const scene = await loadMjcf('a.xml', createRendererContext(memoryFiles(files)));
    expect(scene.instances).toHaveLength(1);
    expect((await compileMjcf(['a.xml'], memoryFiles(files))).issues).toEqual([]);
  });

  test('and a model with a document type is refused', async () => {
    const files = memoryFiles(new Map([['a.xml', Buffer.from('<!DOCTYPE mujoco><mujoco/>')]]));
    await expect(loadMjcf('a.xml', createRendererContext(files))).rejects.toThrow('DOCTYPE');
  });
});

test('a cube with six pictures has their mean colour', async () => {
  const side = (red: number) =>
    sharp({ create: { width: 4, height: 4, channels: 3, background: { r: red, g: 0, b: 0 } } })
      .png()
      .toBuffer();
  const sides = ['right', 'left', 'up', 'down', 'front', 'back'];
  const files = sides.map(
    async (name, at): Promise<[string, Uint8Array]> => [`${name}.png`, await side(at * 50)],
  );
  const picture = model(
    `<asset><texture name="d" type="cube" ${sides.map((name) => `file${name}="${name}.png"`).join(' ')}/><material name="m" texture="d"/></asset>
    <worldbody><body><geom type="box" size=".4 .4 .4" material="m"/></body></worldbody>`,
    ...(await Promise.all(files)),
  );
  const scene = await loadMjcf('a.xml', createRendererContext(memoryFiles(picture)));
  const levels = scene.instances[0]?.material.baseColorTexture?.levels;
  expect(levels).toMatchObject([{ width: 1, height: 1, data: Uint8Array.of(125, 0, 0, 255) }]);
});

test('a model without its textures is drawn in the colours of its materials, and the textures are named', async () => {
  const files = model(
    `<compiler texturedir="../pictures"/>
    <asset><texture name="a" type="2d" file="a.png"/><texture name="b" type="cube" file="b.png"/>
    <material name="m" texture="a" rgba="1 0 0 1"/><material name="n" texture="b" rgba="1 0 0 1"/></asset>
    <worldbody><body><geom type="box" size=".4 .4 .4" material="m"/><geom pos="1 0 0" size=".4" material="n"/></body></worldbody>`,
  );
  const context = createRendererContext(memoryFiles(files));
  const scene = await loadMjcf('a.xml', context);
  expect(scene.instances.map(({ material }) => material.baseColor.slice(0, 3))).toEqual([
    [1, 0, 0],
    [1, 0, 0],
  ]);
  expect(context.omissions.summary()).toEqual({
    textures: {
      total: 2,
      missing: 2,
      named: [
        { name: 'a.png', reason: 'no such file' },
        { name: 'b.png', reason: 'no such file' },
      ],
    },
  });
  expect((await compileMjcf(['a.xml'], memoryFiles(files))).issues).toHaveLength(1);
});

test('a model that a plugin drives is drawn as it stands, with its controls', async () => {
  const driven = (extension: string, actuator: string) =>
    model(
      `${extension}<worldbody><body><joint name="j" type="hinge"/><geom size="0.1 0.2 0.3" type="box"/></body></worldbody>
      <actuator>${actuator}</actuator><sensor><actuatorpos actuator="a"/></sensor><keyframe><key qpos="1" ctrl="1"/></keyframe>`,
    );
  const extension =
    '<extension><plugin plugin="mujoco.pid"><instance name="i"><config key="kp" value="4"/></instance></plugin></extension>';
  const byPlugin = '<plugin name="a" joint="j" plugin="mujoco.pid" instance="i" actdim="1"/>';
  const plain = await draw(driven('', '<motor name="a" joint="j"/>'));
  expect(await draw(driven(extension, byPlugin))).toEqual(plain);
});

test('skins, flexes and height fields on bodies are drawn', async () => {
  const picture = await decode({ webp: await draw(new Map([['a.xml', Buffer.from(DEFORMABLES)]])) });
  const isBlue = (red: number, green: number, blue: number, alpha: number) =>
    alpha > 128 && blue > 1.5 * red && blue > 1.3 * green;
  const isPurple = (red: number, green: number, blue: number, alpha: number) =>
    alpha > 128 && blue > red && red > 1.3 * green;
  const isYellow = (red: number, green: number, blue: number, alpha: number) =>
    alpha > 128 && green > 2 * blue && red > green * 0.9;
  for (const color of [isRed, isBlue, isPurple, isYellow]) {
    expect(measurePixels(picture, color).count).toBeGreaterThan(700);
  }
  expect(measurePixels(picture, isGreen).count).toBeGreaterThan(1_500);
});

describe('a height field of the world', () => {
  const hill =
    '<asset><hfield name="h" nrow="3" ncol="3" size="1 1 0.5 0.1" elevation="0 0 0 0 1 0 0 0 0"/></asset>';

  test('is not drawn next to a model', async () => {
    const ball = '<body pos="0 0 3"><geom size="0.2"/></body>';
    const [without, beside] = await Promise.all([
      draw(model(`<worldbody>${ball}</worldbody>`)),
      draw(model(`${hill}<worldbody><geom type="hfield" hfield="h"/>${ball}</worldbody>`)),
    ]);
    expect(beside).toEqual(without);
  });

  test('is drawn with its peak on top if there is nothing else', async () => {
    const picture = await decode({
      webp: await draw(model(`${hill}<worldbody><geom type="hfield" hfield="h"/></worldbody>`)),
    });
    const rows = countRows(picture, isSolid);
    const top = rows.findIndex((count) => count > 0);
    expect(measurePixels(picture, isSolid).count).toBeGreaterThan(30_000);
    expect(rows[top + 10]).toBeLessThan(Math.max(...rows) / 4);
  });
});

describe('a borrowed MuJoCo instance', () => {
  const places = (text: string) =>
    withMujoco(async (mujoco) => {
      const vfs = new mujoco.MjVFS();
      const model = mujoco.MjModel.from_xml_string(`<mujoco>${text}</mujoco>`, vfs);
      const { byteOffset } = model.geom_type as Int32Array;
      model.delete();
      vfs.delete();
      return { mujoco, byteOffset };
    });
  const ball = '<worldbody><geom size="1"/></worldbody>';

  test('contains nothing of its previous use in memory or files', async () => {
    const before = await places(ball);
    await withMujoco(async ({ FS }) => FS.writeFile(`${ASSET_FOLDER}/a.txt`, 'a'));
    await places(`<option gravity="0 0 1"/>${DEFORMABLES.replace(/<\/?mujoco[^<>]*>/g, '')}`);
    const after = await places(ball);
    expect(after.mujoco).toBe(before.mujoco);
    expect(after.byteOffset).toBe(before.byteOffset);
    expect(await withMujoco(async ({ FS }) => FS.readdir(ASSET_FOLDER))).toEqual(['.', '..']);
  });

  test('leaves nothing among the globals, which would keep its memory when it is gone', async () => {
    const before = Object.getOwnPropertyNames(globalThis);
    await withMujoco(() => withMujoco(async () => {}));
    expect(Object.getOwnPropertyNames(globalThis)).toEqual(before);
    expect(before).not.toContain('registerMouseEventCallback');
  });

  test('is replaced after a failure, and never shared by two users at once', async () => {
    const [one, other] = await Promise.all([places(ball), places(ball)]);
    expect(one.mujoco).not.toBe(other.mujoco);
    let failed: unknown;
    const failing = withMujoco(async (mujoco) => {
      failed = mujoco;
      throw new Error('failed');
    });
    await expect(failing).rejects.toThrow('failed');
    expect((await places(ball)).mujoco).not.toBe(failed);
  });

  test('is replaced after something was written outside the asset folder', async () => {
    const written = await withMujoco(async (mujoco) => {
      mujoco.FS.writeFile('/a.txt', 'a');
      return mujoco;
    });
    expect((await places(ball)).mujoco).not.toBe(written);
  });
});

/** The same triangles, five times as high. */
function taller(stl: Uint8Array): Uint8Array {
  const out = Buffer.from(stl);
  for (let at = 84 + 12; at + 36 <= out.length; at += 50) {
    for (const z of [8, 20, 32]) out.writeFloatLE(out.readFloatLE(at + z) * 5, at + z);
  }
  return out;
}
