import { pylon } from './pylon.ts';

/** A shape of polygons, with other fields of its geometry and an appearance. */
export function faceSet(
  points: readonly number[],
  faces: readonly (readonly number[])[],
  fields = '',
  appearance = '',
): string {
  return `Shape { ${appearance} geometry IndexedFaceSet {
  coord Coordinate { point [ ${points.join(' ')} ] } # points
  coordIndex [ ${faces.map((face) => `${face.join(', ')}, -1`).join(', ')} ]
  ${fields} } }`;
}

export function vrml(nodes: string): Uint8Array {
  return Buffer.from(`#VRML V2.0 utf8\n${nodes}\n`);
}

/** The pylon, one shape a part, its tower turned and moved by a prototype. */
export function pylonVrml(): Uint8Array {
  const [base, tower] = pylon().map(({ color, positions }) => {
    const faces = Array.from({ length: positions.length / 9 }, (_, at) => [at * 3, at * 3 + 1, at * 3 + 2]);
    const paint = `appearance Appearance { material Material { diffuseColor ${color.join(' ')} } }`;
    return faceSet(positions, faces, '', paint);
  });
  return vrml(`PROTO Part [ exposedField MFNode children [] field SFVec3f center 5 5 5 ]
{ Transform { center IS center children IS children rotation 0 1 0 3.14159265 } }
${base}
Part { center 0 0 0 children ${tower} }`);
}
