import { Unrenderable } from '../reading/errors.ts';
import type { Loss } from '../verdicts.ts';
import { IDENTITY, Y_UP_TO_Z_UP } from './matrix.ts';
import { type Mechanism, ON_EARTH } from './mechanism.ts';
import type { Scene } from './scene.ts';

/** A scene as a body without mass that stands in the world. @throws Unrenderable for a scene without triangles */
export function mechanismOfScene(name: string, scene: Scene): Mechanism {
  const { up, unit, instances, points, lines = [], animations = 0 } = scene;
  if (instances.length === 0) throw new Unrenderable('it has no triangles to convert');
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
  return { name, front, bodies: [body], actuators: [], excluded: [], physics: ON_EARTH, losses, faults: [] };
}
