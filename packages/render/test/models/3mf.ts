import { pylon } from './pylon.ts';
import { zip } from './zip.ts';

/** A package of one model part, or several, and other files. */
export function threeMf(
  parts: Readonly<Record<string, string>>,
  beside: Readonly<Record<string, Uint8Array>> = {},
): Uint8Array {
  const files = Object.entries(parts).map(([path, content]) => [path, Buffer.from(content)] as const);
  return zip(new Map<string, Uint8Array>([...files, ...Object.entries(beside)]), 'deflated');
}

/** A model of resources and the items that are built of them. */
export function model3mf(resources: string, items: string, unit = 'millimeter'): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<model unit="${unit}" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" xmlns:m="m" xmlns:p="p">
<resources>${resources}</resources><build>${items}</build></model>`;
}

/** Vertices as x, y, z each, and triangles of three vertices with other attributes. */
export function mesh3mf(vertices: readonly number[], triangles: readonly string[]): string {
  const points = Array.from({ length: vertices.length / 3 }, (_, at) => vertices.slice(at * 3, at * 3 + 3));
  return `<mesh><vertices>${points.map(([x, y, z]) => `<vertex x="${x}" y="${y}" z="${z}"/>`).join('')}</vertices>
<triangles>${triangles.map((triangle) => `<triangle ${triangle}/>`).join('')}</triangles></mesh>`;
}

/** The pylon in metres: one object a part, each with a base material. */
export function pylon3mf(): Uint8Array {
  const parts = pylon('z');
  const hex = (color: readonly number[]) =>
    color
      .map((value) =>
        Math.round(value * 255)
          .toString(16)
          .padStart(2, '0'),
      )
      .join('');
  const bases = parts.map(({ name, color }) => `<base name="${name}" displaycolor="#${hex(color)}FF"/>`);
  const objects = parts.map(({ positions }, part) => {
    const triangles = Array.from(
      { length: positions.length / 9 },
      (_, at) => `v1="${at * 3}" v2="${at * 3 + 1}" v3="${at * 3 + 2}"`,
    );
    return `<object id="${part + 2}" pid="1" pindex="${part}">${mesh3mf(positions, triangles)}</object>`;
  });
  return threeMf({
    '3D/3dmodel.model': model3mf(
      `<basematerials id="1">${bases.join('')}</basematerials>${objects.join('')}`,
      '<item objectid="2"/><item objectid="3"/>',
      'meter',
    ),
  });
}
