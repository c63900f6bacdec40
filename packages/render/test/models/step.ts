import { pylon } from './pylon.ts';

/** The pylon in millimetres, with Z up: a faceted solid a part, as STEP AP214. */
export function pylonStep(): Uint8Array {
  const lines: string[] = [
    "APPLICATION_CONTEXT('design')",
    "PRODUCT_CONTEXT('',#1,'mechanical')",
    "PRODUCT('pylon','pylon','',(#2))",
    "PRODUCT_DEFINITION_FORMATION('','',#3)",
    "PRODUCT_DEFINITION_CONTEXT('part definition',#1,'design')",
    "PRODUCT_DEFINITION('design','',#4,#5)",
    "PRODUCT_DEFINITION_SHAPE('','',#6)",
    '(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.))',
    '(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.))',
    '(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT())',
    "UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-05),#8,'distance_accuracy_value','')",
    "(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT((#11))GLOBAL_UNIT_ASSIGNED_CONTEXT((#8,#9,#10))REPRESENTATION_CONTEXT('',''))",
  ];
  const add = (entity: string) => `#${lines.push(entity)}`;
  const solids = pylon('z').map(({ positions }) => {
    const points = new Map<string, string>();
    const pointAt = (corner: number) => {
      const place = positions
        .slice(corner * 3, corner * 3 + 3)
        .map((value) => (value * 1000).toFixed(3))
        .join(',');
      const point = points.get(place) ?? add(`CARTESIAN_POINT('',(${place}))`);
      points.set(place, point);
      return point;
    };
    const faces = Array.from({ length: positions.length / 9 }, (_, face) => {
      const [first = '', ...others] = [0, 1, 2].map((k) => pointAt(face * 3 + k));
      const loop = add(`POLY_LOOP('',(${[first, ...others].join(',')}))`);
      const bound = add(`FACE_OUTER_BOUND('',${loop},.T.)`);
      const [normal, along] = directions(positions.slice(face * 9, face * 9 + 9)).map((direction) =>
        add(`DIRECTION('',(${direction.map((value) => value.toFixed(9)).join(',')}))`),
      );
      const plane = add(`PLANE('',${add(`AXIS2_PLACEMENT_3D('',${first},${normal},${along})`)})`);
      return add(`FACE_SURFACE('',(${bound}),${plane},.T.)`);
    });
    return add(`FACETED_BREP('',${add(`CLOSED_SHELL('',(${faces.join(',')}))`)})`);
  });
  const shape = add(`FACETED_BREP_SHAPE_REPRESENTATION('',(${solids.join(',')}),#12)`);
  add(`SHAPE_DEFINITION_REPRESENTATION(#7,${shape})`);
  return Buffer.from(`ISO-10303-21;
HEADER;
FILE_DESCRIPTION((''),'2;1');
FILE_NAME('','',(''),(''),'','','');
FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));
ENDSEC;
DATA;
${lines.map((line, at) => `#${at + 1}=${line};`).join('\n')}
ENDSEC;
END-ISO-10303-21;
`);
}

/** The normal of a triangle and the direction of its first edge. */
function directions(points: readonly number[]): number[][] {
  const edge = (to: number) => [0, 1, 2].map((axis) => (points[to * 3 + axis] ?? 0) - (points[axis] ?? 0));
  const [u, v] = [edge(1), edge(2)];
  const normal = [0, 1, 2].map((k) => {
    const [a, b] = [(k + 1) % 3, (k + 2) % 3];
    return (u[a] ?? 0) * (v[b] ?? 0) - (u[b] ?? 0) * (v[a] ?? 0);
  });
  return [normal, u].map((vector) => vector.map((value) => value / Math.hypot(...vector)));
}
