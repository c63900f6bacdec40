import { pylon } from './pylon.ts';

export function binaryStl(): Uint8Array {
  const positions = pylon('z').flatMap((part) => part.positions);
  const facets = positions.length / 9;
  const out = Buffer.alloc(84 + facets * 50);
  out.writeUInt32LE(facets, 80);
  for (let facet = 0; facet < facets; facet++) {
    for (let k = 0; k < 9; k++) out.writeFloatLE(positions[facet * 9 + k]!, 84 + facet * 50 + 12 + k * 4);
  }
  return new Uint8Array(out);
}

export function asciiStl(): Uint8Array {
  const facets = triples(triples(pylon('z').flatMap((part) => part.positions)));
  const text = facets.map((corners) => {
    const vertices = corners.map((corner) => `      vertex ${corner.join(' ')}`).join('\n');
    return `  facet normal 0 0 0\n    outer loop\n${vertices}\n    endloop\n  endfacet`;
  });
  return Buffer.from(`solid pylon\n${text.join('\n')}\nendsolid pylon\n`);
}

/** The OBJ text and its material library. */
export function obj(up: 'y' | 'z' = 'y'): { obj: Uint8Array; mtl: Uint8Array } {
  let vertices = 0;
  const parts = pylon(up).map((part) => {
    const corners = triples(part.positions);
    const faces = triples(corners.map(() => ++vertices));
    return [
      ...corners.map((corner) => `v ${corner.join(' ')}`),
      `usemtl ${part.name}`,
      ...faces.map((face) => `f ${face.join(' ')}`),
    ].join('\n');
  });
  const materials = pylon().map(({ name, color }) => `newmtl ${name}\nKd ${color.join(' ')}\n`);
  return {
    obj: Buffer.from(`mtllib pylon.mtl\n${parts.join('\n')}\n`),
    mtl: Buffer.from(materials.join('\n')),
  };
}

/** A PLY mesh with coloured vertices, or only its vertices. */
export function ply(
  format: 'ascii' | 'binary_little_endian' | 'binary_big_endian',
  faces = true,
): Uint8Array {
  const rows = pylon().flatMap(({ color, positions }) =>
    triples(positions).map((corner) => ({ corner, color })),
  );
  const header = [
    'ply',
    `format ${format} 1.0`,
    `element vertex ${rows.length}`,
    ...['x', 'y', 'z'].map((name) => `property float ${name}`),
    ...['red', 'green', 'blue'].map((name) => `property uchar ${name}`),
    ...(faces ? [`element face ${rows.length / 3}`, 'property list uchar int vertex_indices'] : []),
    'end_header\n',
  ].join('\n');
  const triangles = faces ? triples(rows.map((_, index) => index)) : [];
  const bytes = (color: readonly number[]) => color.map((value) => Math.round(value * 255));
  if (format === 'ascii') {
    const lines = [
      ...rows.map(({ corner, color }) => [...corner, ...bytes(color)]),
      ...triangles.map((t) => [3, ...t]),
    ];
    return Buffer.from(`${header}${lines.map((line) => line.join(' ')).join('\n')}\n`);
  }
  const body = Buffer.alloc(rows.length * 15 + triangles.length * 13);
  const little = format === 'binary_little_endian';
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  for (const [row, { corner, color }] of rows.entries()) {
    for (const [k, value] of corner.entries()) view.setFloat32(row * 15 + k * 4, value, little);
    body.set(bytes(color), row * 15 + 12);
  }
  for (const [face, corners] of triangles.entries()) {
    const at = rows.length * 15 + face * 13;
    view.setUint8(at, 3);
    for (const [k, corner] of corners.entries()) view.setInt32(at + 1 + k * 4, corner, little);
  }
  return new Uint8Array(Buffer.concat([Buffer.from(header), body]));
}

function triples<T>(values: readonly T[]): T[][] {
  return Array.from({ length: values.length / 3 }, (_, index) => values.slice(index * 3, index * 3 + 3));
}
