import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLIENTS_PYTHON, missingPythonClients } from '../../../../test/python-clients.ts';
import { tellCases } from '../../../../test/tallies.ts';
import type { Mechanism } from '../../../formats/src/model/mechanism.ts';
import { memoryFiles } from '../../../formats/src/reading/asset-files.ts';
import { readUsdMechanism } from '../../../formats/src/usd/mechanism.ts';
import { canRun } from '../../../sdk/test/credentials/needed-programs.ts';
import { createRendererContext } from '../../src/host/renderer-context.ts';

interface Written {
  readonly body?: string;
  readonly more?: string;
  readonly shapes?: string;
  readonly stage?: string;
}

/** A stage with one body, which turns and is larger than its parts say. */
const stage = ({ body = '', more = '', shapes = shape(), stage: units = '' }: Written) => `#usda 1.0
(
  upAxis = "Z"
  ${units || 'metersPerUnit = 1'}
)
def Xform "world"
{
  def Xform "body" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
  {
    double3 xformOp:translate = (3, 2, 1)
    quatd xformOp:orient = (0.8, 0, 0.6, 0)
    ${more}
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"${more && ', "xformOp:scale"'}]
    ${body}
    ${shapes}
  }
  def Material "heavy" (prepend apiSchemas = ["PhysicsMaterialAPI"])
  {
    float physics:density = 7000
  }
}
`;

const shape = (type = 'Cube', said = '', place = '0.2, 0, 0.1', schemas = '"PhysicsMassAPI"') => `
    def ${type} "${type}_${place.replace(/\W/g, '_')}" (
      prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI", ${schemas}]
    )
    {
      double3 xformOp:translate = (${place})
      quatd xformOp:orient = (0.6, 0.8, 0, 0)
      uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
      ${said}
    }`;

/** A box as triangles, which look inwards if it is so. */
const box = (isInverted: boolean) => {
  const quads = ['0,2,3,1', '4,5,7,6', '0,1,5,4', '2,6,7,3', '0,4,6,2', '1,3,7,5'].map((quad) =>
    quad.split(','),
  );
  const triangles = quads.flatMap(([a, b, c, d]) => [
    [a, b, c],
    [a, c, d],
  ]);
  const corners = Array.from(
    { length: 8 },
    (_, at) => `(${at & 1 ? 0.3 : -0.3}, ${at & 2 ? 0.2 : -0.2}, ${at & 4 ? 0.1 : -0.1})`,
  );
  return shape(
    'Mesh',
    `point3f[] points = [${corners}]
      int[] faceVertexCounts = [${triangles.map(() => 3)}]
      int[] faceVertexIndices = [${triangles.flatMap((triangle) => (isInverted ? triangle.toReversed() : triangle))}]`,
  );
};

const DIAGONAL = 'float3 physics:diagonalInertia = (0.1, 0.2, 0.25)';
const AXES = 'quatf physics:principalAxes = (0.5, 0.5, 0.5, -0.5)';
const CENTRE = 'point3f physics:centerOfMass = (0.05, -0.1, 0.2)';
const CASES: Readonly<Record<string, string>> = {
  'of water, if nothing else is said': stage({}),
  'of water, in centimetres and grams': stage({
    stage: 'metersPerUnit = 0.01\n  kilogramsPerUnit = 0.001',
    shapes: shape('Cube', 'double size = 12', '1, 2, 3'),
  }),
  'of the material by which the shape collides': stage({
    shapes: shape('Cube', 'rel material:binding:physics = </world/heavy>'),
  }),
  'of the density of the body': stage({ body: 'float physics:density = 500' }),
  'of the density of the shape, before that of its material and its body': stage({
    body: 'float physics:density = 500',
    shapes: shape('Cube', 'float physics:density = 80\n      rel material:binding = </world/heavy>'),
  }),
  'of the mass of the shape, before its density': stage({
    shapes:
      shape('Cube', 'float physics:density = 80\n      float physics:mass = 3') +
      shape('Sphere', 'double radius = 0.5', '0, 1, 0'),
  }),
  'of its own mass, before those of shapes': stage({
    body: 'float physics:mass = 5\n    float physics:density = 9',
    shapes: shape('Cube', 'float physics:mass = 3') + shape('Cube', 'float physics:mass = 9', '-1, 0, 0'),
  }),
  'of its own centre': stage({ body: `float physics:mass = 5\n    ${CENTRE}` }),
  'of its own centre in a frame that is scaled': stage({
    body: CENTRE,
    more: 'float3 xformOp:scale = (2, 2, 2)',
  }),
  'of its own inertia': stage({ body: DIAGONAL }),
  'of all that can be said': stage({
    body: `float physics:mass = 5\n    ${CENTRE}\n    ${DIAGONAL}\n    ${AXES}`,
  }),
  'of the inertia, axes and centre of its shape': stage({
    shapes: shape('Cube', `float physics:mass = 2\n      ${DIAGONAL}\n      ${AXES}\n      ${CENTRE}`),
  }),
  'of the centre of its shape': stage({ shapes: shape('Cube', CENTRE) }),
  'of zeros and infinities, which say nothing': stage({
    body: 'float physics:mass = 0\n    float physics:density = 0\n    float3 physics:diagonalInertia = (0, 0, 0)\n    point3f physics:centerOfMass = (-inf, -inf, -inf)\n    quatf physics:principalAxes = (0, 0, 0, 0)',
  }),
  'of what is not applied, which says nothing': stage({
    shapes: shape('Cube', 'float physics:mass = 3', '0, 0, 0', '"PhysicsFilteredPairsAPI"'),
  }),
  'of shapes that are switched off': stage({
    shapes:
      shape() +
      shape('Cube', 'bool physics:collisionEnabled = false\n      float physics:mass = 7', '2, 0, 0'),
  }),
  'of a ball of a decimetre, without shapes': stage({ body: 'float physics:mass = 4', shapes: '' }),
  'of a cylinder': stage({ shapes: shape('Cylinder', 'double radius = 0.3\n      double height = 1.5') }),
  'of a capsule': stage({ shapes: shape('Capsule', 'double radius = 0.3\n      double height = 1.5') }),
  'of a cylinder with two radii that are one': stage({
    shapes: shape('Cylinder_1', 'double radiusTop = 0.3\n      double radiusBottom = 0.3'),
  }),
  'of a capsule with two radii that are one': stage({
    shapes: shape('Capsule_1', 'double radiusTop = 0.3\n      double radiusBottom = 0.3'),
  }),
  'of a mesh': stage({ shapes: box(false) }),
  'of a mesh that is inside out': stage({ shapes: box(true) }),
  'of shapes in a frame that is scaled': stage({ more: 'float3 xformOp:scale = (2, 2, 2)' }),
};

async function read(text: string): Promise<Mechanism> {
  const files = memoryFiles(new Map([['a.usda', new TextEncoder().encode(text)]]));
  return readUsdMechanism('a.usda', createRendererContext(files));
}

describe.runIf(canRun('openusd', missingPythonClients()))(
  'a body of USD weighs what OpenUSD computes',
  () => {
    let theirs: [mass: number, center: number[], inertia: number[][]][][] = [];

    beforeAll(() => {
      const program = fileURLToPath(new URL('usd-mass-oracle.py', import.meta.url));
      const answer = execFileSync(CLIENTS_PYTHON, [program], {
        input: JSON.stringify(Object.values(CASES)),
        encoding: 'utf8',
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      theirs = JSON.parse(answer);
    });

    let differing = Object.keys(CASES).length;
    afterAll(() => tellCases('ComputeMassProperties of OpenUSD', Object.keys(CASES).length, differing));

    test.each(Object.entries(CASES).map(([name, text], at) => ({ name, text, at })))(
      '$name',
      async ({ text, at }) => {
        const { bodies, losses } = await read(text);
        const [mass = 0, center = [], inertia = []] = theirs[at]?.[0] ?? [];
        const own = bodies.find(({ name }) => name === 'body')?.inertial;
        const [xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0] = own?.inertia ?? [];
        const near = (values: readonly number[], size: number) =>
          values.map((value) => Math.round((value / size) * 1e5) / 1e5 + 0);
        const scale = Math.max(...inertia.flat().map(Math.abs));
        expect(near([own?.mass ?? 0], mass)).toEqual([1]);
        expect(near(own?.center ?? [], 1)).toEqual(near(center, 1));
        expect(near([xx, xy, xz, xy, yy, yz, xz, yz, zz], scale)).toEqual(near(inertia.flat(), scale));
        expect(losses.filter(({ what }) => what === 'mass')).toEqual([]);
        differing--;
      },
    );
  },
);
