import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../test/faults.ts';
import { loadMjcf } from '../../formats/src/mjcf/read.ts';
import { loadMesh } from '../../formats/src/read.ts';
import { Unrenderable } from '../../formats/src/reading/errors.ts';
import { loadSplats } from '../../formats/src/splats/read.ts';
import { createRendererContext, loadImage } from '../src/host/renderer-context.ts';
import { memoryFiles, type RenderLimits } from '../src/index.ts';
import { renderThumbnail } from '../src/thumbnail.ts';
import { collada, geometry, instanceGeometry } from './models/collada.ts';
import { glb, gltfPylon } from './models/gltf.ts';
import { cloudSamples, everySample, type Sample } from './models/samples.ts';
import { loadSdf, loadUrdf } from './models/scenes.ts';
import { spz } from './models/splats.ts';

const LIMITS: Partial<RenderLimits> = {
  inputBytes: 2 ** 24,
  vertices: 200_000,
  triangles: 200_000,
  splats: 100_000,
};
const samples = [...(await everySample()), ...cloudSamples()];

/** Loads an asset; true when that worked, false when it was refused in words. Anything else fails the test. */
async function load({ kind, entry, files: bytes }: Sample): Promise<boolean> {
  const context = createRendererContext(memoryFiles(bytes), LIMITS);
  const { files, budget } = context;
  try {
    if (kind === 'mesh') await loadMesh(entry, context);
    else if (kind === 'mjcf') await loadMjcf(entry, context);
    else if (kind === 'urdf') await loadUrdf(entry, context);
    else if (kind === 'sdf') await loadSdf(entry, context);
    else if (kind === 'splat') await loadSplats(entry, context);
    else await loadImage(await files.read(entry), budget);
    return true;
  } catch (error) {
    if (error instanceof Unrenderable) return false;
    throw error;
  }
}

function withFile(sample: Sample, path: string, bytes: Uint8Array): Sample {
  return { ...sample, files: new Map(sample.files).set(path, bytes) };
}

/** A text with one of its numbers, or bytes with four in a row, as large as a count can be: each of the first in turn. */
function* withHostileCounts(bytes: Uint8Array, most: number): Generator<Uint8Array> {
  const text = Buffer.from(bytes).toString('utf8');
  if (!text.includes('\0') && !text.includes('\uFFFD')) {
    for (const { index, 0: number } of [...text.matchAll(/\b\d+\b/g)].slice(0, most))
      yield Buffer.from(`${text.slice(0, index)}4294967295${text.slice(index + number.length)}`);
    return;
  }
  for (let at = 0; at < Math.min(most, bytes.length - 4); at++) {
    const hostile = Uint8Array.from(bytes);
    hostile.fill(255, at, at + 4);
    yield hostile;
  }
}

describe.each(samples)('$name', (sample) => {
  const times = sample.kind === 'mjcf' ? rounds({ short: 5, long: 100 }) : rounds({ short: 20, long: 1_000 });

  test('loads if undamaged', async () => {
    expect(await load(sample)).toBe(true);
  });

  test.each([...sample.files.keys()])(
    '%s truncated at many points loads or is refused, without a crash',
    async (path) => {
      const bytes = sample.files.get(path)!;
      const lengths = Array.from({ length: times }, (_, step) => Math.floor((bytes.length * step) / times));
      const outcomes = [];
      for (const length of lengths) outcomes.push(await load(withFile(sample, path, bytes.slice(0, length))));
      expect(outcomes).toHaveLength(times);
      if (path === sample.entry) expect(outcomes[0]).toBe(false);
    },
  );

  // MuJoCo allocates what a model declares, so that only its processes bound it.
  if (sample.kind !== 'mjcf')
    test('that declares four billion of anything loads or is refused, without a crash', async () => {
      const bytes = sample.files.get(sample.entry)!;
      const outcomes = [];
      for (const hostile of withHostileCounts(bytes, rounds({ short: 64, long: 1_000 })))
        outcomes.push(await load(withFile(sample, sample.entry, hostile)));
      expect(outcomes.length).toBeGreaterThan(0);
    });

  test('with corrupted bytes loads or is refused, without a crash', async () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...sample.files.keys()), damage, async (path, changes) => {
        const bytes = Uint8Array.from(sample.files.get(path)!);
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        expect(await load(withFile(sample, path, bytes))).toBeTypeOf('boolean');
      }),
      { numRuns: times },
    );
  });
});

describe('a thumbnail is refused with a warning for', () => {
  async function warning(
    kind: string,
    entry: string,
    bytes: Uint8Array,
    limits: Partial<RenderLimits> = LIMITS,
  ): Promise<string> {
    const thumbnail = await renderThumbnail({
      kind,
      entry,
      files: memoryFiles(new Map([[entry, bytes]])),
      limits,
    });
    return 'warning' in thumbnail ? thumbnail.warning : 'drawn';
  }

  test('an STL that declares four billion triangles', async () => {
    expect(await warning('mesh', 'a.stl', new Uint8Array(200).fill(255))).toMatch(
      'announces 4294967295 triangles',
    );
  });

  test('a PLY that declares more vertices than it has bytes for', async () => {
    const header =
      'ply\nformat binary_little_endian 1.0\nelement vertex 900000000\nproperty float x\nend_header\n';
    expect(await warning('mesh', 'a.ply', Buffer.from(header))).toBe('the file ends before its elements');
  });

  test.each([
    ['ascii', 'the file ends before its elements'],
    ['binary_compressed', 'the PCD file is cut off'],
  ])('a PCD (%s) that declares more points than it has bytes for', async (data, words) => {
    const header = `FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 190000\nDATA ${data}\n`;
    expect(await warning('mesh', 'a.pcd', Buffer.from(header))).toBe(words);
  });

  test('an OFF file that declares more faces than it has bytes for', async () => {
    expect(await warning('mesh', 'a.off', Buffer.from('OFF\n3 100000000 0\n0 0 0\n'))).toBe(
      'the OFF file ends before its faces',
    );
  });

  test('a glTF accessor of two billion elements without any data', async () => {
    const accessors = [{ componentType: 5126, type: 'VEC3', count: 2e9 }];
    const meshes = [{ primitives: [{ attributes: { POSITION: 0 } }] }];
    const document = { asset: { version: '2.0' }, nodes: [{ mesh: 0 }], meshes, accessors };
    expect(await warning('mesh', 'a.glb', glb(document, new Uint8Array(4)))).toBe(
      'too large: more than 16777216 bytes of input',
    );
  });

  test('a small mesh instanced by 20,000 nodes', async () => {
    const { document, buffer } = await gltfPylon();
    const nodes = Array.from({ length: 20_000 }, () => ({ mesh: 0 }));
    const crowd = { ...document, nodes, scenes: [{ nodes: nodes.map((_, index) => index) }] };
    expect(await warning('mesh', 'a.glb', glb(crowd, buffer))).toMatch('too large');
  });

  test('glTF nodes nested 5,000 deep, or in a cycle', async () => {
    const nodes = Array.from({ length: 5_000 }, (_, index) => ({ children: [index + 1] }));
    const deep = { asset: { version: '2.0' }, scenes: [{ nodes: [0] }], nodes: [...nodes, {}] };
    expect(await warning('mesh', 'a.glb', glb(deep, new Uint8Array(4)))).toBe(
      'nested deeper than 100 levels',
    );
    const ring = {
      asset: { version: '2.0' },
      scenes: [{ nodes: [0] }],
      nodes: [{ children: [1] }, { children: [0] }],
    };
    expect(await warning('mesh', 'a.glb', glb(ring, new Uint8Array(4)))).toBe('nothing visible to draw');
  });

  test('XML with entity expansion', async () => {
    const entities =
      '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><robot name="r">&b;</robot>';
    expect(await warning('urdf', 'a.urdf', Buffer.from(entities))).toMatch('not well-formed XML');
  });

  test('XML nested 100,000 deep', async () => {
    expect(await warning('urdf', 'a.urdf', Buffer.from('<robot>'.repeat(100_000)))).toBe(
      'nested deeper than 100 levels',
    );
  });

  test('robot links joined in a cycle', async () => {
    const joint = (parent: string, child: string) =>
      `<joint name="${parent}" type="fixed"><parent link="${parent}"/><child link="${child}"/></joint>`;
    const robot = `<robot name="r"><link name="a"/><link name="b"/>${joint('a', 'b')}${joint('b', 'a')}</robot>`;
    expect(await warning('urdf', 'a.urdf', Buffer.from(robot))).toBe('nothing visible to draw');
  });

  test('COLLADA nodes that instantiate each other in a cycle or exponentially', async () => {
    const node = (id: string, ...others: string[]) =>
      `<node id="${id}">${others.map((other) => `<instance_node url="#${other}"/>`).join('')}</node>`;
    const warningOf = (nodes: string) =>
      warning('mesh', 'a.dae', collada({ libraries: { nodes }, nodes: node('root', 'n0') }));
    expect(await warningOf(node('n0', 'n0'))).toBe('nested deeper than 100 levels');
    const doubled = Array.from({ length: 40 }, (_, level) =>
      node(`n${level}`, `n${level + 1}`, `n${level + 1}`),
    );
    expect(await warningOf(doubled.join(''))).toBe('too large: more than 200000 nodes');
  });

  test('a COLLADA mesh that declares more than it contains, or is instanced 70,000 times', async () => {
    const triangle = geometry(
      't',
      [0, 0, 0, 1, 0, 0, 0, 1, 0],
      '<triangles>VERTICES<p>0 1 2</p></triangles>',
    );
    const warningOf = (geometries: string, times = 1) =>
      warning(
        'mesh',
        'a.dae',
        collada({ libraries: { geometries }, nodes: `<node>${instanceGeometry('t').repeat(times)}</node>` }),
      );
    expect(await warningOf(triangle)).toBe('drawn');
    expect(await warningOf(triangle.replace('count="3"', 'count="2000000000"'))).toBe(
      'too large: more than 200000 vertices',
    );
    expect(await warningOf(triangle.replace('stride="3"', 'stride="2000000000"'))).toBe(
      'a COLLADA source is shorter than it says',
    );
    expect(await warningOf(triangle.replace('offset="0"', 'offset="2000000000"'))).toBe(
      'nothing visible to draw',
    );
    expect(await warningOf(triangle.replace('0 1 2', '0 1 3'))).toBe(
      'a COLLADA mesh names vertices that do not exist',
    );
    expect(await warningOf(triangle.replace('0 1 2', '0 1 2 '.repeat(100_000)))).toBe(
      'too large: more than 200000 vertices',
    );
    expect(await warningOf(triangle, 70_000)).toMatch('too large');
  });

  test('an SPZ whose gzip stream unpacks to 32 MiB of zeros', async () => {
    const zeros = gzipSync(Buffer.concat([spz(2).subarray(0, 0), Buffer.alloc(2 ** 25)]));
    expect(await warning('splat', 'a.spz', zeros)).toBe(
      'the SPZ file is damaged, or larger unpacked than it says',
    );
  });

  test('a splat file with more splats than the limit', async () => {
    expect(await warning('splat', 'a.splat', new Uint8Array(32 * 100_001))).toBe(
      'too large: more than 100000 splats',
    );
  });

  test('an image of very many pixels in few bytes, alone or as a texture', async () => {
    const huge = await sharp({ create: { width: 9_000, height: 9_000, channels: 3, background: '#000' } })
      .png()
      .toBuffer();
    expect(await warning('image', 'a.png', huge, { imagePixels: 1_000_000 })).toBe(
      'the image cannot be read',
    );
    const scene = `<mujoco>
      <asset><texture name="t" type="2d" file="a.png"/><material name="m" texture="t"/></asset>
      <worldbody><body><geom size="1" material="m"/></body></worldbody></mujoco>`;
    const files = memoryFiles(
      new Map([
        ['a.xml', Buffer.from(scene)],
        ['a.png', huge],
      ]),
    );
    const limits = { imagePixels: 1_000_000 };
    expect(await renderThumbnail({ kind: 'mjcf', entry: 'a.xml', files, limits })).toEqual({
      warning: 'too large: more than 1000000 pixels in an image',
    });
  });

  test('a model with nothing visible, an unknown kind or an unsupported mesh format', async () => {
    expect(await warning('mjcf', 'a.xml', Buffer.from('<mujoco/>'))).toBe('nothing visible to draw');
    expect(await warning('video', 'a.mp4', new Uint8Array())).toBe('no thumbnails for assets of kind video');
    expect(await warning('mesh', 'a.max', new Uint8Array())).toBe('meshes in max format are not drawn');
  });
});
