import type { Mesh, Vector } from './geometry.ts';

export type Color = [red: number, green: number, blue: number];

/** Binary STL: an 80-byte header, then per triangle its normal and three corners. */
export function toStl({ positions, triangles }: Mesh): Buffer {
  const bytes = Buffer.alloc(84 + 50 * triangles.length);
  bytes.write('binary STL', 0, 'ascii');
  bytes.writeUInt32LE(triangles.length, 80);
  triangles.forEach((corners, at) => {
    const [a, b, c] = corners.map((corner) => positions[corner]!) as [Vector, Vector, Vector];
    [faceNormal(a, b, c), a, b, c].flat().forEach((value, field) => {
      bytes.writeFloatLE(value, 84 + 50 * at + 4 * field);
    });
  });
  return bytes;
}

/** Wavefront OBJ with its material file; Y is up, as programs expect of the format. */
export function toObj({ positions, normals, triangles }: Mesh, material: string): string {
  const corner = (index: number) => `${index + 1}//${index + 1}`;
  return [
    `mtllib ${material}.mtl`,
    `usemtl ${material}`,
    ...positions.map((position) => `v ${yUp(position).map(short).join(' ')}`),
    ...normals.map((normal) => `vn ${yUp(normal).map(short).join(' ')}`),
    ...triangles.map((triangle) => `f ${triangle.map(corner).join(' ')}`),
    '',
  ].join('\n');
}

export function toMtl(material: string, color: Color): string {
  return `newmtl ${material}\nKd ${color.join(' ')}\nNs 40\nillum 2\n`;
}

/** Binary glTF 2.0 with one mesh and one material; Y is up in the format. */
export function toGlb({ positions, normals, triangles }: Mesh, name: string, color: Color): Buffer {
  const points = positions.map(yUp);
  const parts = [
    Buffer.from(Float32Array.from(points.flat()).buffer),
    Buffer.from(Float32Array.from(normals.flatMap(yUp)).buffer),
    Buffer.from(Uint32Array.from(triangles.flat()).buffer),
  ];
  const views = parts.map((part, at) => ({
    buffer: 0,
    byteOffset: parts.slice(0, at).reduce((sum, before) => sum + before.length, 0),
    byteLength: part.length,
    target: at === 2 ? 34_963 : 34_962,
  }));
  const axis = (at: number) => points.map((point) => Math.fround(point[at]!));
  const bound = (pick: (a: number, b: number) => number) => [0, 1, 2].map((at) => axis(at).reduce(pick));
  const document = {
    asset: { version: '2.0', generator: 'bindery sample library' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0, name }],
    meshes: [{ name, primitives: [{ attributes: { POSITION: 0, NORMAL: 1 }, indices: 2, material: 0 }] }],
    materials: [
      { pbrMetallicRoughness: { baseColorFactor: [...color, 1], metallicFactor: 0, roughnessFactor: 0.7 } },
    ],
    accessors: [
      {
        bufferView: 0,
        componentType: 5126,
        count: points.length,
        type: 'VEC3',
        min: bound((a, b) => Math.min(a, b)),
        max: bound((a, b) => Math.max(a, b)),
      },
      { bufferView: 1, componentType: 5126, count: points.length, type: 'VEC3' },
      { bufferView: 2, componentType: 5125, count: triangles.length * 3, type: 'SCALAR' },
    ],
    bufferViews: views,
    buffers: [{ byteLength: parts.reduce((sum, part) => sum + part.length, 0) }],
  };
  const json = Buffer.from(JSON.stringify(document));
  const padded = Buffer.concat([json, Buffer.alloc(-json.length & 3, ' ')]);
  const chunks = [chunk(padded, 'JSON'), chunk(Buffer.concat(parts), 'BIN\0')];
  const header = Buffer.from('glTF\x02\0\0\0\0\0\0\0', 'latin1');
  header.writeUInt32LE(12 + chunks.reduce((sum, part) => sum + part.length, 0), 8);
  return Buffer.concat([header, ...chunks]);
}

function chunk(bytes: Buffer, type: string): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(bytes.length, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, bytes]);
}

function faceNormal(a: Vector, b: Vector, c: Vector): number[] {
  const [ux, uy, uz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
  const [vx, vy, vz] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
  const normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
  const length = Math.hypot(...normal) || 1;
  return normal.map((value) => value / length);
}

/** Converts to the axes of formats in which Y is up. */
function yUp([x, y, z]: Vector): Vector {
  return [x, z, -y];
}

function short(value: number): string {
  return String(Math.round(value * 1e6) / 1e6);
}
