import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { transformPoints } from '../../formats/src/model/matrix.ts';
import type { Geometry, Instance } from '../../formats/src/model/scene.ts';
import { loadMesh } from '../../formats/src/read.ts';
import { createRendererContext } from '../src/host/renderer-context.ts';
import { memoryFiles } from '../src/index.ts';
import { binaryStl } from './models/meshes.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

/** The first of the files as a scene, with the names of what is missing from it. */
async function loaded(files: Files) {
  const bytes = new Map(
    Object.entries(files).map(([path, content]) => [path, new Uint8Array(Buffer.from(content))]),
  );
  const context = createRendererContext(memoryFiles(bytes));
  const scene = await loadMesh(Object.keys(files)[0] as string, context);
  const missing = Object.values(context.omissions.summary() ?? {}).flatMap(({ named }) => named);
  return { ...scene, missing };
}

async function picture(red: number): Promise<Uint8Array> {
  return sharp({ create: { width: 2, height: 2, channels: 3, background: { r: red, g: 0, b: 0 } } })
    .png()
    .toBuffer();
}

function areaOf({ positions, indices }: Geometry): number {
  let area = 0;
  for (let at = 0; at < indices.length; at += 3) {
    const [a, b, c] = [0, 1, 2].map((k) =>
      positions.slice((indices[at + k] ?? 0) * 3, (indices[at + k] ?? 0) * 3 + 3),
    );
    const [u, v] = [b, c].map((point) => [0, 1, 2].map((k) => (point?.[k] ?? 0) - (a?.[k] ?? 0))) as [
      number[],
      number[],
    ];
    const cross = [0, 1, 2].map((k) => u[(k + 1) % 3]! * v[(k + 2) % 3]! - u[(k + 2) % 3]! * v[(k + 1) % 3]!);
    area += Math.hypot(...cross) / 2;
  }
  return area;
}

describe('a polygon that is not convex keeps its notch', () => {
  const corners = [
    [1, 0],
    [1, 0.3],
    [0.3, 0.3],
    [0.3, 1],
    [0, 1],
    [0, 0],
  ] as const;
  const AREA = 0.3 + 0.7 * 0.3;
  const numbers = corners.map((_, index) => index);
  const collada = (primitive: string) => `<COLLADA><library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="a" count="18">${corners.map(([x, z]) => `${x} 0 ${z}`).join(' ')}</float_array>
    <technique_common><accessor source="#a" count="6" stride="3"/></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>${primitive}</mesh></geometry></library_geometries>
    <library_visual_scenes><visual_scene><node><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes></COLLADA>`;
  const input = '<input semantic="VERTEX" source="#v" offset="0"/>';

  test.each([
    [
      'OBJ',
      'a.obj',
      `${corners.map(([x, z]) => `v ${x} 0 ${z}`).join('\n')}\nf ${numbers.map((n) => n + 1).join(' ')}\n`,
    ],
    [
      'PLY',
      'a.ply',
      `ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_index\nend_header\n${corners.map(([x, z]) => `${x} 0 ${z}`).join('\n')}\n6 ${numbers.join(' ')}\n`,
    ],
    [
      'COLLADA',
      'a.dae',
      collada(`<polylist count="1">${input}<vcount>6</vcount><p>${numbers.join(' ')}</p></polylist>`),
    ],
    [
      'a COLLADA polygon',
      'a.dae',
      collada(`<polygons count="1">${input}<p>${numbers.join(' ')}</p></polygons>`),
    ],
  ])('in %s', async (_format, name, text) => {
    for (const turned of [false, true]) {
      const { instances } = await loaded({
        [name]: turned ? text.replace(numbers.join(' '), numbers.toReversed().join(' ')) : text,
      });
      expect(areaOf((instances[0] as Instance).geometry)).toBeCloseTo(AREA, 5);
    }
  });
});

describe('coordinates far from zero keep their millimetres', () => {
  const [x, y, z] = [408_201.584, 4_080_928.016, 12.5];
  const corners = [
    [x, y, z],
    [x + 0.003, y, z],
    [x, y + 0.003, z],
  ];
  const rows = corners.map((corner) => corner.join(' '));

  test.each([
    ['OBJ', 'a.obj', `${rows.map((row) => `v ${row}`).join('\n')}\nf 1 2 3\n`],
    ['text STL', 'a.stl', `solid\nfacet\n${rows.map((row) => `vertex ${row}`).join('\n')}\nendfacet\n`],
    [
      'PLY in 64 bits',
      'a.ply',
      `ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\nproperty double z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n${rows.join('\n')}\n3 0 1 2\n`,
    ],
    [
      'COLLADA',
      'a.dae',
      `<COLLADA><library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="9">${rows.join(' ')}</float_array>
      <technique_common><accessor source="#a" count="3" stride="3"/></technique_common></source>
      <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
      <triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>
      <library_visual_scenes><visual_scene><node><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes></COLLADA>`,
    ],
  ])('in %s', async (_format, name, text) => {
    const { instances } = await loaded({ [name]: text });
    const { geometry, transform } = instances[0] as Instance;
    const xs = geometry.positions.filter((_, at) => at % 3 === 0);
    expect(Math.max(...xs) - Math.min(...xs)).toBeCloseTo(0.003, 6);
    const place = transformPoints(transform, geometry.positions.slice(0, 3));
    expect(Math.abs((place[0] ?? 0) - x)).toBeLessThan(0.05);
    expect([transform[12], transform[13], transform[14]]).toEqual([x, y, z]);
  });
});

describe('OBJ', () => {
  const triangles = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nusemtl a\nf 1 2 3\nusemtl b\nf 2 4 3\n';

  test('has the materials of two libraries on one line, one of them named in Latin-1', async () => {
    const obj = Buffer.from(`mtllib ä.mtl b c.mtl\n${triangles}`, 'latin1');
    const { instances } = await loaded({
      'm.obj': obj,
      'ä.mtl': 'newmtl a\nKd 1 0 0\n',
      'b c.mtl': 'newmtl b\nKd 0 1 0\n',
    });
    expect(instances.map(({ material }) => material.baseColor.slice(0, 3))).toEqual([
      [1, 0, 0],
      [0, 1, 0],
    ]);
  });

  test.each([
    'wood bark.png',
    '-s 1 1 1 wood bark.png',
    '-imfchan r -bm 0.5 wood bark.png',
    '-clamp on wood bark.png',
  ])('has the texture that a material names as %s', async (statement) => {
    const { missing } = await loaded({
      'm.obj': 'mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl a\nf 1/1 2/1 3/1\n',
      'm.mtl': `newmtl a\nmap_Kd ${statement}\n`,
      'wood bark.png': await picture(255),
    });
    expect(missing).toEqual([]);
  });

  test('has the colours of its vertices in sRGB, as other programs show them', async () => {
    const { instances } = await loaded({
      'm.obj': 'v 0 0 0 0.5 0 1\nv 1 0 0 0.5 0 1\nv 0 1 0 0.5 0 1\nf 1 2 3\n',
    });
    const { geometry, material } = instances[0] as Instance;
    expect(geometry.colors?.[0]).toBeCloseTo(0.214, 3);
    expect([...(geometry.colors?.slice(1, 4) ?? [])]).toEqual([0, 1, 1]);
    expect(material.baseColor).toEqual([1, 1, 1, 1]);
  });
});

describe('STL has the colours that programs put into it', () => {
  const [RED_MAGICS, RED_VISCAM] = [31, 0x8000 | (31 << 10)];
  const colored = (word: number, header = ''): Uint8Array => {
    const bytes = binaryStl();
    bytes.set(Buffer.from(header, 'latin1'));
    const view = new DataView(bytes.buffer);
    for (let at = 84 + 48; at < bytes.length; at += 50) view.setUint16(at, word, true);
    return bytes;
  };
  const colorOf = async (stl: Uint8Array) => {
    const { instances } = await loaded({ 'a.stl': stl });
    const colors = (instances[0] as Instance).geometry.colors;
    return colors && [...colors.slice(0, 4)].map((value) => Math.round(value * 100) / 100);
  };

  test('Magics', async () => {
    expect(await colorOf(colored(RED_MAGICS, 'COLOR=\x00\xff\x00\xff'))).toEqual([1, 0, 0, 1]);
    expect(await colorOf(colored(0x8000, 'COLOR=\x00\xff\x00\xff'))).toEqual([0, 1, 0, 1]);
  });

  test('VisCAM', async () => {
    expect(await colorOf(colored(RED_VISCAM))).toEqual([1, 0, 0, 1]);
  });

  test('but not what is no colour', async () => {
    expect(await colorOf(binaryStl())).toBeUndefined();
    expect(await colorOf(colored(31))).toBeUndefined();
  });
});

describe('PLY has its pictures', () => {
  const header = (vertex: string, face: string) =>
    `ply\nformat ascii 1.0\ncomment TextureFile one two.png\ncomment TextureFile ../b/three.png\nelement vertex 4\n${['x', 'y', 'z', ...vertex.split(' ').filter(Boolean)].map((name) => `property float ${name}\n`).join('')}element face 2\nproperty list uchar int vertex_indices\n${face}end_header\n`;
  const square = ['0 0 0', '1 0 0', '1 1 0', '0 1 0'];
  const pictures = async () => ({ 'a/one two.png': await picture(255), 'b/three.png': await picture(128) });

  test('by the coordinates of vertices', async () => {
    const rows = square.map((row) => `${row} ${row.slice(0, 3)}`).join('\n');
    const { instances, missing } = await loaded({
      'a/m.ply': `${header('texture_u texture_v', '')}${rows}\n3 0 1 2\n3 0 2 3\n`,
      ...(await pictures()),
    });
    expect(missing).toEqual([]);
    expect(instances).toHaveLength(1);
    expect(instances[0]?.material.baseColorTexture?.levels[0]?.data[0]).toBe(255);
    expect([...(instances[0]?.geometry.uvs?.slice(0, 2) ?? [])]).toEqual([0, 1]);
  });

  test('by the coordinates of the corners of faces, which name one of several', async () => {
    const face = 'property list uchar float texcoord\nproperty int texnumber\n';
    const { instances } = await loaded({
      'a/m.ply': `${header('', face)}${square.join('\n')}\n3 0 1 2 6 0 0 1 0 1 1 0\n3 0 2 3 6 0 0 1 1 0 1 1\n`,
      ...(await pictures()),
    });
    expect(instances.map(({ material }) => material.baseColorTexture?.levels[0]?.data[0])).toEqual([
      255, 128,
    ]);
  });

  test('or names those that are missing', async () => {
    const rows = square.map((row) => `${row} 0 0`).join('\n');
    const { missing } = await loaded({ 'a/m.ply': `${header('s t', '')}${rows}\n3 0 1 2\n3 0 2 3\n` });
    expect(missing.map(({ name }) => name)).toEqual(['one two.png', '../b/three.png']);
  });
});
