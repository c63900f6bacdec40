import { pylon } from './pylon.ts';

/** Vertices as x, y, z each, and triangles of three vertices, in a volume of a material. */
export function meshAmf(vertices: readonly number[], triangles: readonly number[], material = ''): string {
  const rows = <T>(values: readonly T[]) =>
    Array.from({ length: values.length / 3 }, (_, at) => values.slice(at * 3, at * 3 + 3));
  const points = rows(vertices).map(
    ([x, y, z]) => `<vertex><coordinates><x>${x}</x><y>${y}</y><z>${z}</z></coordinates></vertex>`,
  );
  const faces = rows(triangles).map(
    ([a, b, c]) => `<triangle><v1>${a}</v1><v2>${b}</v2><v3>${c}</v3></triangle>`,
  );
  const attribute = material && ` materialid="${material}"`;
  return `<mesh><vertices>${points.join('\n')}</vertices><volume${attribute}>${faces.join('\n')}</volume></mesh>`;
}

export function amf(content: string, unit = 'millimeter'): Uint8Array {
  return Buffer.from(`<?xml version="1.0"?><amf unit="${unit}" version="1.1">${content}</amf>`);
}

/** The pylon in metres: one object a part, each of a material. */
export function pylonAmf(): Uint8Array {
  const parts = pylon('z').map(({ color: [r, g, b], positions }, part) => {
    const corners = Array.from({ length: positions.length / 3 }, (_, corner) => corner);
    return `<material id="m${part}"><color><r>${r}</r><g>${g}</g><b>${b}</b></color></material>
<object id="${part}">${meshAmf(positions, corners, `m${part}`)}</object>`;
  });
  return amf(parts.join('\n'), 'meter');
}
