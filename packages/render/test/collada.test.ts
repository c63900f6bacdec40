import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { transformPoints } from '../../formats/src/model/matrix.ts';
import type { Instance, Material, Scene } from '../../formats/src/model/scene.ts';
import { loadMesh } from '../../formats/src/read.ts';
import { createRendererContext } from '../src/host/renderer-context.ts';
import { memoryFiles } from '../src/index.ts';
import {
  collada,
  color,
  geometry,
  instanceGeometry,
  materialWithEffect,
  pylonDae,
  source,
} from './models/collada.ts';
import { loadUrdf } from './models/scenes.ts';

/** A unit square in the plane of X and Y, counter-clockwise. */
const SQUARE = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0];
const TWO_TRIANGLES = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0];
const FACE = '<polylist material="paint">VERTICES<vcount>4</vcount><p>0 1 2 3</p></polylist>';

async function load(files: Record<string, Uint8Array>, entry = 'a.dae'): Promise<Scene> {
  const context = createRendererContext(memoryFiles(new Map(Object.entries(files))));
  return entry.endsWith('.urdf') ? loadUrdf(entry, context) : loadMesh(entry, context);
}

/** x, y, z of the corners of an instance's triangles in the frame of its scene. */
function corners({ geometry: { positions, indices }, transform }: Instance): number[] {
  const placed = transformPoints(transform, positions);
  return [...indices].flatMap((vertex) => [...placed.subarray(vertex * 3, vertex * 3 + 3)].map(rounded));
}

/** Where the first corner of each instance lies. */
function places(scene: Scene): number[][] {
  return scene.instances.map((instance) => corners(instance).slice(0, 3));
}

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4 + 0;
}

/** A document of one square in the given nodes. */
function squareIn(nodes: string, libraries: Record<string, string> = {}): Uint8Array {
  return collada({ libraries: { geometries: geometry('square', SQUARE, FACE), ...libraries }, nodes });
}

async function materialOf(content: string, model?: string): Promise<Material> {
  const dae = squareIn(
    `<node>${instanceGeometry('square', 'm')}</node>`,
    materialWithEffect('m', content, model),
  );
  const [instance] = (await load({ 'a.dae': dae })).instances;
  return instance!.material;
}

describe('triangles', () => {
  test.each([
    ['triangles', '<triangles>VERTICES<p>0 1 2 0 2 3</p></triangles>'],
    ['polylist', FACE],
    ['polygons', '<polygons>VERTICES<p>0 1 2 3</p></polygons>'],
    ['polygons with holes', '<polygons>VERTICES<ph><p>0 1 2 3</p><h>0 1 2</h></ph></polygons>'],
    ['trifans', '<trifans>VERTICES<p>0 1 2 3</p></trifans>'],
  ])('from %s form the unit square', async (_, primitive) => {
    const dae = collada({
      libraries: { geometries: geometry('square', SQUARE, primitive) },
      nodes: `<node>${instanceGeometry('square')}</node>`,
    });
    const { instances } = await load({ 'a.dae': dae });
    expect(instances.map(corners)).toEqual([TWO_TRIANGLES]);
  });

  test('of tristrips all face the same way', async () => {
    const strip = '<tristrips>VERTICES<p>0 1 3 2</p><p>0 1 3</p></tristrips>';
    const dae = collada({
      libraries: { geometries: geometry('square', SQUARE, strip) },
      nodes: `<node>${instanceGeometry('square')}</node>`,
    });
    const [instance] = (await load({ 'a.dae': dae })).instances;
    expect(corners(instance!)).toEqual([
      0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0,
    ]);
    expect([...instance!.geometry.normals].map(rounded)).toEqual(Array(9).fill([0, 0, 1]).flat());
  });

  test('use the source of their own mesh if another mesh has a source with the same id', async () => {
    const raised = SQUARE.map((value, index) => (index % 3 === 2 ? 5 : value));
    const withSharedIds = (id: string, positions: number[]) =>
      geometry(id, positions, FACE).replaceAll(`${id}-positions`, 'positions');
    const dae = collada({
      libraries: { geometries: withSharedIds('low', SQUARE) + withSharedIds('high', raised) },
      nodes: `<node>${instanceGeometry('low')}${instanceGeometry('high')}</node>`,
    });
    expect(places(await load({ 'a.dae': dae }))).toEqual([
      [0, 0, 0],
      [0, 0, 5],
    ]);
  });

  test('are loaded without the lines of the same mesh', async () => {
    const lines = '<lines>VERTICES<p>0 1 2 3</p></lines>';
    const dae = collada({
      libraries: { geometries: geometry('square', SQUARE, lines + FACE) },
      nodes: `<node>${instanceGeometry('square')}</node>`,
    });
    expect((await load({ 'a.dae': dae })).instances).toHaveLength(1);
  });

  test('read normals, UVs and colours at their own offsets, and UVs from the lowest set', async () => {
    const sources = [
      source('n', 3, [0, 0, 1, 1, 0, 0]),
      source('uv', 2, [0.25, 0.25, 0.5, 1]),
      source('lightmap', 2, [9, 9]),
      source('rgb', 3, [1, 0, 0, 0, 0, 1]),
    ].join('');
    const inputs = `VERTICES<input semantic="NORMAL" source="#n" offset="1"/><input semantic="TEXCOORD" source="#lightmap" offset="3" set="2"/>
<input semantic="TEXCOORD" source="#uv" offset="2" set="1"/><input semantic="COLOR" source="#rgb" offset="1"/>`;
    const triangle = `<triangles>${inputs}<p>0 1 1 0  1 0 0 0  2 1 1 0</p></triangles>`;
    const dae = collada({
      libraries: { geometries: geometry('square', SQUARE, triangle, sources) },
      nodes: `<node>${instanceGeometry('square')}</node>`,
    });
    const [instance] = (await load({ 'a.dae': dae })).instances;
    expect(instance!.geometry).toMatchObject({
      normals: Float32Array.of(1, 0, 0, 0, 0, 1, 1, 0, 0),
      uvs: Float32Array.of(0.5, 0, 0.25, 0.75, 0.5, 0),
      colors: Float32Array.of(0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1),
    });
    expect(instance!.material.baseColor).toEqual([1, 1, 1, 1]);
  });
});

describe('nodes', () => {
  test('apply their transforms from last to first, then those of their parents', async () => {
    const dae = squareIn(`<node><translate>10 0 0</translate><node>
<rotate>0 0 1 90</rotate><scale>2 2 2</scale><translate>1 0 0</translate>${instanceGeometry('square')}</node></node>
<node><matrix>0 -1 0 5  1 0 0 6  0 0 1 7  0 0 0 1</matrix>${instanceGeometry('square')}</node>`);
    const [nested, matrix] = (await load({ 'a.dae': dae })).instances.map(corners);
    expect(nested?.slice(0, 6)).toEqual([10, 2, 0, 10, 4, 0]);
    expect(matrix?.slice(0, 6)).toEqual([5, 6, 7, 5, 7, 7]);
  });

  test('with a lookat are placed at the eye, with −Z pointing at the target', async () => {
    const dae = squareIn(`<node><lookat>1 2 3  5 2 3  0 1 0</lookat>${instanceGeometry('square')}</node>`);
    const [instance] = (await load({ 'a.dae': dae })).instances.map(corners);
    expect(instance?.slice(0, 9)).toEqual([1, 2, 3, 1, 2, 4, 1, 3, 4]);
  });

  test('from the node library are drawn wherever they are instantiated', async () => {
    const dae = squareIn(
      '<node><translate>1 0 0</translate><instance_node url="#shared"/></node><node><instance_node url="#shared"/></node>',
      { nodes: `<node id="shared"><translate>0 0 3</translate>${instanceGeometry('square')}</node>` },
    );
    expect(places(await load({ 'a.dae': dae }))).toEqual([
      [1, 0, 3],
      [0, 0, 3],
    ]);
  });

  test('draw a skin in its bind shape, and a morph as its base shape', async () => {
    const controllers = `<controller id="skin"><skin source="#square"><bind_shape_matrix>1 0 0 4 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix></skin></controller>
<controller id="morph"><morph source="#square"/></controller><controller id="both"><skin source="#morph"/></controller>
<controller id="ring"><morph source="#ring"/></controller>`;
    const nodes = ['skin', 'morph', 'both', 'ring'].map(
      (id) => `<node><translate>0 9 0</translate><instance_controller url="#${id}"/></node>`,
    );
    expect(places(await load({ 'a.dae': squareIn(nodes.join(''), { controllers }) }))).toEqual([
      [4, 0, 0],
      [0, 9, 0],
      [0, 0, 0],
    ]);
  });

  test('outside the instantiated scene are not drawn', async () => {
    const dae = Buffer.from(
      squareIn(`<node>${instanceGeometry('square')}</node>`)
        .toString()
        .replace(
          '<library_visual_scenes>',
          `$&<visual_scene id="other"><node>${instanceGeometry('square')}${instanceGeometry('square')}</node></visual_scene>`,
        ),
    );
    expect((await load({ 'a.dae': dae })).instances).toHaveLength(1);
  });
});

describe('units and axes', () => {
  test('a standalone file is turned upright, whichever up axis it declares', async () => {
    const positions = {
      X_UP: [5, 0, 0, 5, 0, 1, 5, -1, 0],
      Y_UP: [0, 5, 0, 0, 5, 1, 1, 5, 0],
      Z_UP: [0, 0, 5, 0, -1, 5, 1, 0, 5],
    };
    for (const [up, values] of Object.entries(positions)) {
      const dae = collada({
        up: up as 'X_UP',
        libraries: { geometries: geometry('t', values, '<triangles>VERTICES<p>0 1 2</p></triangles>') },
        nodes: `<node>${instanceGeometry('t')}</node>`,
      });
      const scene = await load({ 'a.dae': dae });
      expect(scene.up).toBe('y');
      expect(scene.instances.map(corners)).toEqual([positions.Y_UP]);
    }
  });

  test('a robot loads its meshes in metres and on their own axes, ignoring their declared up axis', async () => {
    const robot = Buffer.from(
      `<robot><link name="l">${['y', 'z'].map((up) => `<visual><geometry><mesh filename="package://r/meshes/${up}.dae"/></geometry></visual>`).join('')}</link></robot>`,
    );
    const files = { 'urdf/r.urdf': robot, 'meshes/y.dae': pylonDae('y'), 'meshes/z.dae': pylonDae('z') };
    const { up, instances } = await load(files, 'urdf/r.urdf');
    const reach = (axis: number) =>
      instances.map((instance) => Math.max(...corners(instance).filter((_, index) => index % 3 === axis)));
    expect(up).toBe('z');
    expect(reach(1)).toEqual([0.4, 2, 1, 0.3]);
    expect(reach(2)).toEqual([1, 0.3, 0.4, 2]);
  });

  test("a robot's own material applies only to a mesh that has none", async () => {
    const mesh = (name: string) =>
      `<visual><geometry><mesh filename="${name}.dae"/></geometry><material name="blue"><color rgba="0 0 1 1"/></material></visual>`;
    const files = {
      'r.urdf': Buffer.from(`<robot><link name="l">${mesh('plain')}${mesh('painted')}</link></robot>`),
      'plain.dae': squareIn(`<node>${instanceGeometry('square')}</node>`),
      'painted.dae': squareIn(
        `<node>${instanceGeometry('square', 'm')}</node>`,
        materialWithEffect('m', color('diffuse', 1, 0, 0, 1)),
      ),
    };
    const { instances } = await load(files, 'r.urdf');
    expect(instances.map(({ material }) => material.baseColor)).toEqual([
      [0, 0, 1, 1],
      [1, 0, 0, 1],
    ]);
  });
});

describe('materials', () => {
  test('take their colours from the phong, lambert, blinn or constant shading model', async () => {
    for (const model of ['phong', 'lambert', 'blinn']) {
      const material = await materialOf(color('diffuse', 1, 0, 0, 1) + color('emission', 0, 1, 0, 1), model);
      expect(material).toMatchObject({
        baseColor: [1, 0, 0, 1],
        emissive: [0, 1, 0],
        alphaMode: 'opaque',
        unlit: false,
      });
    }
    expect(await materialOf(color('emission', 0, 1, 0, 1), 'constant')).toMatchObject({
      baseColor: [0, 1, 0, 1],
      unlit: true,
    });
  });

  test.each([
    ['', 0.25],
    ['opaque="A_ONE"', 0.25],
    ['opaque="A_ZERO"', 0.75],
    ['opaque="RGB_ONE"', 0.35758],
    ['opaque="RGB_ZERO"', 0.64242],
  ])('have the opacity of <transparent %s>', async (mode, opacity) => {
    const content = `<transparent ${mode}><color>0 1 0 0.5</color></transparent><transparency><float>0.5</float></transparency>`;
    const { baseColor, alphaMode } = await materialOf(content);
    expect(baseColor[3]).toBeCloseTo(opacity, 5);
    expect(alphaMode).toBe('blend');
  });

  test.each([
    '<transparency><float>0</float></transparency>',
    '<transparent><color>1 1 1 1</color></transparent><transparency><float>0</float></transparency>',
    '<transparent opaque="RGB_ZERO"><color>1 1 1 1</color></transparent>',
  ])('that would be fully transparent are drawn opaque: %s', async (content) => {
    expect(await materialOf(content)).toMatchObject({
      baseColor: expect.arrayContaining([1]),
      alphaMode: 'opaque',
    });
  });

  test('are found by the symbol of a primitive if no instance binds it', async () => {
    const dae = squareIn(
      `<node>${instanceGeometry('square')}</node>`,
      materialWithEffect('paint', color('diffuse', 1, 0, 0, 1)),
    );
    expect((await load({ 'a.dae': dae })).instances[0]!.material.baseColor).toEqual([1, 0, 0, 1]);
  });
});

describe('textures', async () => {
  const png = await sharp({ create: { width: 4, height: 2, channels: 3, background: '#f00' } })
    .png()
    .toBuffer();
  const DIFFUSE = '<diffuse><texture texture="sampler" texcoord="UV"/></diffuse>';
  const SURFACE =
    '<newparam sid="surface"><surface type="2D"><init_from>image</init_from></surface></newparam>';
  const SAMPLER =
    '<newparam sid="sampler"><sampler2D><source>surface</source><wrap_s>MIRROR</wrap_s><wrap_t>CLAMP</wrap_t></sampler2D></newparam>';

  async function paint(image: string, parameters = SURFACE + SAMPLER, content = DIFFUSE) {
    const images = `<image id="image">${image}</image>`;
    const dae = squareIn(`<node>${instanceGeometry('square', 'm')}</node>`, {
      ...materialWithEffect('m', content, 'phong', parameters),
      images,
    });
    const files = { 'robot/meshes/a.dae': dae, 'robot/textures/wood bark.png': new Uint8Array(png) };
    return (await load(files, 'robot/meshes/a.dae')).instances[0]!.material;
  }

  test.each([
    '../textures/wood bark.png',
    '../textures/wood%20bark.png',
    'package://robot/textures/wood%20bark.png',
    'file://../textures/wood%20bark.png',
    'file:///C:/Users/someone/wood%20bark.png',
    '..\\textures\\wood bark.png',
  ])('are found at %s', async (reference) => {
    const { baseColor, baseColorTexture } = await paint(`<init_from>${reference}</init_from>`);
    expect(baseColorTexture).toMatchObject({
      wrapU: 'mirror',
      wrapV: 'clamp',
      levels: [{ width: 4, height: 2 }, {}],
    });
    expect(baseColor).toEqual([1, 1, 1, 1]);
  });

  test('are found by a COLLADA 1.5 reference, and by the id of an image', async () => {
    const sampler =
      '<newparam sid="sampler"><sampler2D><instance_image url="#image"/></sampler2D></newparam>';
    const reference = '../textures/wood bark.png';
    expect(await paint(`<init_from><ref>${reference}</ref></init_from>`, sampler)).toHaveProperty(
      'baseColorTexture.levels',
    );
    const byImage = DIFFUSE.replace('sampler', 'image');
    expect(await paint(`<init_from>${reference}</init_from>`, '', byImage)).toHaveProperty(
      'baseColorTexture.levels',
    );
  });

  test('that also define the transparency cut holes with an alpha mask', async () => {
    const content = `${DIFFUSE}${DIFFUSE.replaceAll('diffuse', 'transparent')}`;
    expect(await paint('<init_from>wood bark.png</init_from>', undefined, content)).toMatchObject({
      alphaMode: 'mask',
    });
  });

  test('that are missing leave the material untextured', async () => {
    expect(await paint('<init_from>http://host/a.png</init_from>')).toMatchObject({
      baseColorTexture: undefined,
    });
  });
});
