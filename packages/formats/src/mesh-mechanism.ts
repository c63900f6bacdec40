import type { LoadContext } from './context.ts';
import { baseName } from './files/paths.ts';
import { IDENTITY, Y_UP_TO_Z_UP } from './model/matrix.ts';
import type { Mechanism } from './model/mechanism.ts';
import { loadMesh } from './read-mesh.ts';
import { Unrenderable } from './reading/errors.ts';
import type { Loss } from './verdicts.ts';

/** Reads a mesh in any format as a body without mass that stands in the world. */
export async function readMesh(entry: string, context: LoadContext): Promise<Mechanism> {
  const { up, unit, instances, points, lines = [], animations = 0 } = await loadMesh(entry, context);
  if (instances.length === 0) throw new Unrenderable('it has no triangles to convert');
  const name = baseName(entry).replace(/\.[^.]*$/, '');
  const numbered = new Map<string, number>();
  const shapes = instances.map(({ geometry, material, transform, names = [] }) => {
    const own = names[0] ?? name;
    const number = (numbered.get(own) ?? 0) + 1;
    numbered.set(own, number);
    return {
      name: number === 1 ? own : `${own}_${number}`,
      role: 'visual' as const,
      pose: transform,
      form: { type: 'mesh' as const, name: own, parts: [{ geometry, material }] },
      material: undefined,
    };
  });
  const losses: Loss[] = [
    { is: points.length > 0, what: 'points', why: 'only triangles are converted' },
    { is: lines.length > 0, what: 'lines', why: 'only triangles are converted' },
    { is: animations > 0, what: 'animation', why: 'it is converted as it stands at rest' },
    {
      is: unit === undefined,
      what: 'unit of length',
      why: 'the format has none, and is taken to be in metres',
    },
  ].flatMap(({ is, what, why }) => (is ? [{ what, names: [], why }] : []));
  const pose = up === 'y' ? Y_UP_TO_Z_UP : IDENTITY;
  const body = { name, parent: undefined, pose, joints: [], inertial: undefined, shapes };
  // What faces along Z in a frame with Y up faces against Y in one with Z up.
  const front = up === 'y' ? ('-y' as const) : undefined;
  return { name, front, bodies: [body], actuators: [], excluded: [], losses };
}
