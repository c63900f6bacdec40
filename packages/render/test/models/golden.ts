import sharp from 'sharp';
import { cubesDae } from './collada.ts';
import { glb } from './gltf.ts';
import { DEFORMABLES, transformedMeshes } from './mjcf.ts';
import { MJCF, towerStl, URDF } from './robots.ts';
import { workbench } from './sdf.ts';
import { splatPly } from './splats.ts';

interface GoldenModel {
  readonly name: string;
  readonly kind: string;
  readonly entry: string;
  readonly files: Map<string, Uint8Array>;
}

/** Models whose pictures are kept beside the tests. */
export async function goldenModels(): Promise<GoldenModel[]> {
  return [
    { name: 'materials', kind: 'mesh', entry: 'a.glb', files: new Map([['a.glb', await materials()]]) },
    {
      name: 'materials-mirrored',
      kind: 'mesh',
      entry: 'a.glb',
      files: new Map([['a.glb', await materials({ mirrored: true })]]),
    },
    {
      name: 'materials-recoloured',
      kind: 'mesh',
      entry: 'a.glb',
      files: new Map([['a.glb', await materials({ tint: [0.2, 0.3, 0.9] })]]),
    },
    {
      name: 'collada',
      kind: 'mesh',
      entry: 'a.dae',
      files: new Map([
        ['a.dae', cubesDae()],
        ['textures/checker.png', await checkerboard()],
      ]),
    },
    { name: 'urdf', kind: 'urdf', entry: 'urdf/a.urdf', files: robot('urdf/a.urdf', URDF) },
    { name: 'mjcf', kind: 'mjcf', entry: 'a.xml', files: robot('a.xml', MJCF) },
    {
      name: 'deformables',
      kind: 'mjcf',
      entry: 'a.xml',
      files: new Map([['a.xml', Buffer.from(DEFORMABLES)]]),
    },
    { name: 'mjcf-laid-out', kind: 'mjcf', entry: 'a.xml', files: await transformedMeshes() },
    { name: 'sdf', kind: 'sdf', entry: 'workbench/model.sdf', files: workbench() },
    { name: 'splats', kind: 'splat', entry: 'a.ply', files: new Map([['a.ply', splatPly()]]) },
  ];
}

function robot(entry: string, text: string): Map<string, Uint8Array> {
  return new Map<string, Uint8Array>([
    [entry, Buffer.from(text)],
    ['meshes/tower.stl', towerStl()],
  ]);
}

interface Variation {
  readonly mirrored?: boolean;
  readonly tint?: readonly [number, number, number];
}

/**
 * Spheres in a row, one for each thing that a material can do: texture, metal, glow, glass, holes, vertex colours;
 * the first is the largest.
 */
async function materials({ mirrored = false, tint = [1, 1, 1] }: Variation = {}): Promise<Uint8Array> {
  const checker = await checkerboard();
  const sphere = sphereBuffer();
  const parts = [sphere.positions, sphere.uvs, sphere.colors, sphere.indices, checker];
  const offsets = parts.map((_, index) => parts.slice(0, index).reduce((sum, part) => sum + padded(part), 0));
  const buffer = new Uint8Array(padded(checker) + (offsets[4] as number));
  for (const [index, part] of parts.entries()) buffer.set(part, offsets[index]);
  const texture = { index: 0 };
  const looks = [
    { pbrMetallicRoughness: { baseColorTexture: texture, baseColorFactor: [...tint, 1], metallicFactor: 0 } },
    {
      pbrMetallicRoughness: { baseColorFactor: [1, 0.75, 0.35, 1], metallicFactor: 1, roughnessFactor: 0.25 },
    },
    { pbrMetallicRoughness: { baseColorFactor: [0, 0, 0, 1] }, emissiveFactor: [0.1, 0.9, 0.5] },
    { pbrMetallicRoughness: { baseColorFactor: [0.3, 0.6, 1, 0.35], metallicFactor: 0 }, alphaMode: 'BLEND' },
    {
      pbrMetallicRoughness: { baseColorTexture: texture, metallicFactor: 0 },
      alphaMode: 'MASK',
      doubleSided: true,
    },
    { pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 0.8 } },
  ];
  const side = mirrored ? -1 : 1;
  const document = {
    asset: { version: '2.0' },
    nodes: looks.map((_, mesh) => ({
      mesh,
      translation: [side * (mesh * 1.3 - 3.25), mesh === 0 ? 0.8 : 0.5, 0],
      scale: Array(3).fill(mesh === 0 ? 0.8 : 0.5),
    })),
    meshes: looks.map((_, material) => ({
      primitives: [
        {
          attributes: { POSITION: 0, TEXCOORD_0: 1, ...(material === 5 ? { COLOR_0: 2 } : {}) },
          indices: 3,
          material,
        },
      ],
    })),
    materials: looks,
    textures: [{ source: 0 }],
    images: [{ bufferView: 4, mimeType: 'image/png' }],
    accessors: [
      { bufferView: 0, componentType: 5126, type: 'VEC3', count: sphere.count },
      { bufferView: 1, componentType: 5126, type: 'VEC2', count: sphere.count },
      { bufferView: 2, componentType: 5126, type: 'VEC3', count: sphere.count },
      { bufferView: 3, componentType: 5123, type: 'SCALAR', count: sphere.indices.length / 2 },
    ],
    bufferViews: parts.map((part, index) => ({
      buffer: 0,
      byteOffset: offsets[index],
      byteLength: part.length,
    })),
    buffers: [{ byteLength: buffer.length }],
  };
  return glb(document, buffer);
}

function padded(part: Uint8Array): number {
  return Math.ceil(part.length / 4) * 4;
}

/** Eight by eight fields, orange and clear. */
async function checkerboard(): Promise<Uint8Array> {
  const data = Uint8Array.from({ length: 64 * 64 * 4 }, (_, index) => {
    const [x, y, channel] = [(index >> 2) & 63, index >> 8, index & 3];
    const isField = ((x >> 3) + (y >> 3)) % 2 === 0;
    return isField ? [235, 120, 30, 255][channel]! : [250, 245, 235, 0][channel]!;
  });
  return new Uint8Array(
    await sharp(data, { raw: { width: 64, height: 64, channels: 4 } })
      .png()
      .toBuffer(),
  );
}

function sphereBuffer() {
  const [rings, segments] = [24, 36];
  const rows = Array.from({ length: (rings + 1) * (segments + 1) }, (_, index) => {
    const [v, u] = [Math.floor(index / (segments + 1)) / rings, (index % (segments + 1)) / segments];
    const [theta, phi] = [v * Math.PI, u * 2 * Math.PI];
    const y = Math.cos(theta);
    const point = [-Math.cos(phi) * Math.sin(theta), y, Math.sin(phi) * Math.sin(theta)];
    return { point, uv: [u, v], color: [0.5 + 0.5 * y, 0.2, 0.5 - 0.5 * y] };
  });
  const indices = Array.from({ length: rings * segments }, (_, cell) => {
    const a = Math.floor(cell / segments) * (segments + 1) + (cell % segments);
    const b = a + segments + 1;
    return [a, b, a + 1, b, b + 1, a + 1];
  }).flat();
  const bytes = (values: Float32Array | Uint16Array) => new Uint8Array(values.buffer);
  return {
    count: rows.length,
    positions: bytes(Float32Array.from(rows.flatMap((row) => row.point))),
    uvs: bytes(Float32Array.from(rows.flatMap((row) => row.uv))),
    colors: bytes(Float32Array.from(rows.flatMap((row) => row.color))),
    indices: bytes(Uint16Array.from(indices)),
  };
}
