import { describe, expect, test } from 'vitest';
import { transformPoints } from '../../formats/src/model/matrix.ts';
import type { Scene } from '../../formats/src/model/scene.ts';
import { loadMesh } from '../../formats/src/read.ts';
import type { RenderLimits } from '../../formats/src/reading/limits.ts';
import { createRendererContext } from '../src/host/renderer-context.ts';
import { memoryFiles } from '../src/index.ts';
import { renderThumbnail } from '../src/thumbnail.ts';
import { glb, gltfPylon } from './models/gltf.ts';
import { decode, isGreen, isRed, isSolid, measurePixels } from './pictures.ts';

interface Column {
  readonly type: 'SCALAR' | 'VEC3' | 'VEC4';
  readonly values: readonly number[];
  /** Bytes; normalised. */
  readonly isPacked?: boolean;
}

const WIDTHS = { SCALAR: 1, VEC3: 3, VEC4: 4 };

/** A GLB file of a document and the columns behind its accessors. */
function file(document: object, ...columns: Column[]): Uint8Array {
  const parts = columns.map(({ values, isPacked, type }) => {
    if (isPacked) return Buffer.from(Int8Array.from(values).buffer);
    return Buffer.from((type === 'SCALAR' ? Uint32Array : Float32Array).from(values).buffer);
  });
  const starts = parts.map((_, index) => parts.slice(0, index).reduce((sum, { length }) => sum + length, 0));
  const lists = {
    accessors: columns.map(({ type, values, isPacked }, bufferView) => ({
      bufferView,
      type,
      componentType: isPacked ? 5120 : type === 'SCALAR' ? 5125 : 5126,
      normalized: isPacked,
      count: values.length / WIDTHS[type],
    })),
    bufferViews: parts.map(({ length }, index) => ({
      buffer: 0,
      byteOffset: starts[index],
      byteLength: length,
    })),
    buffers: [{ byteLength: parts.reduce((sum, { length }) => sum + length, 0) }],
  };
  return glb({ asset: { version: '2.0' }, ...lists, ...document }, Buffer.concat(parts));
}

const TRIANGLE: Column = { type: 'VEC3', values: [0, 0, 0, 1, 0, 0, 0, 1, 0] };

function instanced(attributes: object): object {
  return {
    nodes: [
      {
        name: 'grass',
        mesh: 0,
        translation: [0, 0, 5],
        extensions: { EXT_mesh_gpu_instancing: { attributes } },
      },
    ],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
  };
}

async function load(bytes: Uint8Array, limits: Partial<RenderLimits> = {}) {
  const context = createRendererContext(memoryFiles(new Map([['a.glb', bytes]])), limits);
  const scene = await loadMesh('a.glb', context);
  return { scene, omissions: context.omissions.summary() };
}

/** Where the first vertices of the instances lie. */
function corners({ instances }: Scene): number[][] {
  return instances.map(({ geometry, transform }) =>
    [...transformPoints(transform, geometry.positions).subarray(0, 6)].map(
      (value) => Math.round(value * 1e3) / 1e3 + 0,
    ),
  );
}

describe('EXT_mesh_gpu_instancing', () => {
  test('draws a mesh at every position, rotated and scaled, relative to its node', async () => {
    const places: Column = { type: 'VEC3', values: [0, 0, 0, 2, 0, 0] };
    const turns: Column = { type: 'VEC4', values: [0, 0, 0, 127, 0, 0, 90, 90], isPacked: true };
    const scales: Column = { type: 'VEC3', values: [1, 1, 1, 3, 3, 3] };
    const { scene, omissions } = await load(
      file(instanced({ TRANSLATION: 1, ROTATION: 2, SCALE: 3 }), TRIANGLE, places, turns, scales),
    );
    const [plain, turned] = corners(scene);
    expect(plain).toEqual([0, 0, 5, 1, 0, 5]);
    expect(turned?.map((value) => Math.round(value * 10) / 10)).toEqual([2, 0, 5, 2, 3, 5]);
    expect(omissions).toBeUndefined();
  });

  test('draws an even selection of a million copies, and reports how many are omitted', async () => {
    const total = 1_000_000;
    const places = {
      type: 'VEC3',
      values: Array.from({ length: total * 3 }, (_, i) => (i % 3 ? 0 : i / 3)),
    } as const;
    const { scene, omissions } = await load(file(instanced({ TRANSLATION: 1 }), TRIANGLE, places));
    expect(scene.instances).toHaveLength(20_000);
    const across = corners(scene).map(([x]) => x as number);
    expect([across[0], across[10_000], across[19_999]]).toEqual([0, 500_000, 999_950]);
    expect(omissions).toEqual({
      instances: {
        total,
        missing: 980_000,
        named: [{ name: 'grass', reason: 'only 20000 copies are drawn' }],
      },
    });
  });

  test('leaves room for other meshes within the triangle limit', async () => {
    const places = { type: 'VEC3', values: Array<number>(300).fill(1) } as const;
    const document = instanced({ TRANSLATION: 1 }) as { nodes: object[] };
    document.nodes.push({ mesh: 0 });
    const { scene, omissions } = await load(file(document, TRIANGLE, places), { triangles: 41 });
    expect(scene.instances).toHaveLength(20);
    expect(omissions?.instances).toMatchObject({ total: 100, missing: 81 });
  });

  test('is refused if it declares more copies than the limits allow', async () => {
    const document = instanced({ TRANSLATION: 1 });
    const accessors = [
      { bufferView: 0, type: 'VEC3', componentType: 5126, count: 3 },
      { type: 'VEC3', componentType: 5126, count: 4e9 },
    ];
    await expect(load(file({ ...document, accessors }, TRIANGLE))).rejects.toThrow('too large');
  });
});

test('a vertex without weights follows the first joint that it names, as in viewers', async () => {
  const [joints, weights] = [Array<number>(12).fill(0), [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]];
  const document = {
    nodes: [{ mesh: 0, skin: 0 }, { translation: [0, 0, 5] }],
    skins: [{ joints: [1] }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, JOINTS_0: 1, WEIGHTS_0: 2 } }] }],
  };
  const columns = [joints, weights].map((values): Column => ({ type: 'VEC4', values }));
  const { scene } = await load(file(document, TRIANGLE, ...columns));
  expect(corners(scene)).toEqual([[0, 0, 5, 1, 0, 5]]);
});

test('meshopt data is decoded under its EXT and KHR names, without the fallback buffer', async () => {
  const { document, buffer } = await gltfPylon('meshopt');
  const fallback = {
    byteLength: 9,
    uri: 'gone.bin',
    extensions: { EXT_meshopt_compression: { fallback: true } },
  };
  const { bufferViews, buffers, ...rest } = document as { bufferViews: object[]; buffers: object[] };
  const views = bufferViews.map((view) => ({ ...view, buffer: 1 }));
  const packed = JSON.stringify({ ...rest, bufferViews: views, buffers: [...buffers, fallback] });
  for (const name of ['EXT', 'KHR']) {
    const named = JSON.parse(packed.replaceAll('EXT_meshopt', `${name}_meshopt`));
    expect((await load(glb(named, buffer))).scene.instances).toHaveLength(2);
  }
});

describe('lines', () => {
  const square: Column = { type: 'VEC3', values: [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0] };
  const ends = async (mode: number, ...columns: Column[]) => {
    const indices = columns.length === 0 ? undefined : 1;
    const meshes = [{ primitives: [{ attributes: { POSITION: 0 }, mode, indices }] }];
    const { scene } = await load(file({ nodes: [{ mesh: 0 }], meshes }, square, ...columns));
    return [...(scene.lines?.[0]?.ends ?? [])];
  };

  test('connect pairs of vertices, a strip or a loop, and are refused if a vertex does not exist', async () => {
    expect(await ends(1)).toEqual([0, 1, 2, 3]);
    expect(await ends(1, { type: 'SCALAR', values: [3, 1, 2] })).toEqual([3, 1]);
    expect(await ends(3)).toEqual([0, 1, 1, 2, 2, 3]);
    expect(await ends(2)).toEqual([0, 1, 1, 2, 2, 3, 3, 0]);
    await expect(ends(1, { type: 'SCALAR', values: [0, 4] })).rejects.toThrow('do not exist');
  });

  test('are drawn in the colour of their material, in front of what is behind them', async () => {
    const wall: Column = {
      type: 'VEC3',
      values: [-2, -2, -1, 2, -2, -1, 2, 2, -1, -2, -2, -1, 2, 2, -1, -2, 2, -1],
    };
    const document = {
      nodes: [{ mesh: 0 }],
      meshes: [
        {
          primitives: [
            { attributes: { POSITION: 0 }, mode: 2, material: 0 },
            { attributes: { POSITION: 1 }, mode: 4, material: 1 },
          ],
        },
      ],
      materials: [
        [1, 0, 0, 1],
        [0.05, 0.6, 0.1, 1],
      ].map((baseColorFactor) => ({
        pbrMetallicRoughness: { baseColorFactor, metallicFactor: 0 },
      })),
    };
    const files = memoryFiles(new Map([['a.glb', file(document, square, wall)]]));
    const picture = await decode(await renderThumbnail({ kind: 'mesh', entry: 'a.glb', files }));
    expect(measurePixels(picture, isRed).count).toBeGreaterThan(400);
    expect(measurePixels(picture, isRed).count).toBeLessThan(4_000);
    expect(measurePixels(picture, isGreen).count).toBeGreaterThan(50_000);
  });

  test('fill the picture in their vertex colours if there is nothing else', async () => {
    const meshes = [{ primitives: [{ attributes: { POSITION: 0, COLOR_0: 1 }, mode: 3 }] }];
    const green: Column = { type: 'VEC3', values: Array.from({ length: 4 }, () => [0, 1, 0]).flat() };
    const files = memoryFiles(new Map([['a.glb', file({ nodes: [{ mesh: 0 }], meshes }, square, green)]]));
    const picture = await decode(await renderThumbnail({ kind: 'mesh', entry: 'a.glb', files }));
    expect(measurePixels(picture, isGreen).count).toBeGreaterThan(500);
    expect(measurePixels(picture, isSolid).border).toBe(0);
  });
});
