import { Unrenderable } from '../errors.ts';
import type { Bounds } from '../geometry/bounds.ts';
import { IDENTITY, multiply, rotation, translation } from '../matrix.ts';
import { DEFAULT_MATERIAL } from '../scene.ts';
import type { Body, Joint, Mechanism, Shape } from './mechanism.ts';
import { subjectOf } from './proof.ts';
import { WORLD } from './tree.ts';

/** A mechanism that is to stand in a scene. */
export interface ScenePart {
  /** What its bodies and joints are called after; no other part has it. */
  readonly name: string;
  readonly mechanism: Mechanism;
  /** Where its middle is on the floor, in metres; beside the others if omitted. */
  readonly at?: readonly [x: number, y: number] | undefined;
  /** About the vertical axis, in degrees. */
  readonly turn: number;
}

/** Where a part stands, and the sides of the box around what is seen of it, in metres. */
export interface PlacedPart {
  readonly name: string;
  readonly at: readonly [x: number, y: number];
  readonly size: readonly [x: number, y: number, z: number];
}

/** Between the boxes of parts that stand in a row, in metres. */
const GAP = 0.1;

/**
 * Stands mechanisms on a floor such that the boxes around what is seen of them, with joints at their reference, do not
 * touch. @throws Unrenderable if places that are given make two of them touch, and for one of which nothing is seen.
 */
export function composeScene(parts: readonly ScenePart[]): { mechanism: Mechanism; placed: PlacedPart[] } {
  const turned = parts.map((part) => {
    const turn = rotation([0, 0, 1], (part.turn * Math.PI) / 180);
    const mechanism = moved(part, turn);
    return { part, mechanism, bounds: boundsOf(part.name, mechanism) };
  });
  const boxes: Box[] = [];
  for (const { part, bounds } of turned) if (part.at) boxes.push(boxAt(part.name, bounds, part.at));
  refuseTouching(boxes);
  let end = Math.max(0, ...boxes.map(({ at, size }) => at[0] + size[0] / 2 + GAP));
  for (const { part, bounds } of turned) {
    if (part.at) continue;
    const width = bounds.maxX - bounds.minX;
    boxes.push(boxAt(part.name, bounds, [end + width / 2, 0]));
    end += width + GAP;
  }
  const byName = new Map(boxes.map((box) => [box.name, box]));
  const bodies = turned.flatMap(({ part, mechanism, bounds }) => {
    const [x, y] = byName.get(part.name)?.at ?? [0, 0];
    const [middleX, middleY] = [(bounds.minX + bounds.maxX) / 2, (bounds.minY + bounds.maxY) / 2];
    return moved({ ...part, mechanism }, translation(x - middleX, y - middleY, -bounds.minZ)).bodies.map(
      (body) => named(body, part.name),
    );
  });
  const mechanism: Mechanism = {
    name: 'scene',
    bodies: [FLOOR, ...bodies],
    actuators: turned.flatMap(({ part: { name: of }, mechanism: { actuators } }) =>
      actuators.map((actuator) => ({
        ...actuator,
        name: `${of}_${actuator.name}`,
        joint: `${of}_${actuator.joint}`,
      })),
    ),
    excluded: turned.flatMap(({ part: { name: of }, mechanism: { excluded } }) =>
      excluded.map(([one, other]) => [`${of}_${one}`, `${of}_${other}`] as const),
    ),
    losses: turned.flatMap(({ part, mechanism: { losses } }) =>
      losses.map(({ what, names, why }) => ({
        what: `${what} of ${part.name}`,
        names,
        why,
      })),
    ),
  };
  return {
    mechanism,
    placed: turned.map(({ part: { name } }) => byName.get(name)).filter((box) => box !== undefined),
  };
}

type Box = PlacedPart;

const PLANE = { pose: IDENTITY, form: { type: 'plane' } } as const;
const FLOOR: Body = {
  name: WORLD,
  parent: undefined,
  pose: IDENTITY,
  joints: [],
  inertial: undefined,
  shapes: [
    { ...PLANE, name: 'floor', role: 'collision', material: undefined },
    { ...PLANE, name: 'ground', role: 'visual', material: DEFAULT_MATERIAL },
  ],
};

/** The mechanism of a part without floors of its own, with what stands in the world moved. */
function moved({ mechanism }: Pick<ScenePart, 'mechanism'>, transform: Body['pose']): Mechanism {
  const isShown = ({ form }: Shape) => form.type !== 'plane';
  const bodies = mechanism.bodies.map((body) => ({
    ...body,
    shapes: body.shapes.filter(isShown),
    pose: body.parent === undefined ? multiply(transform, body.pose) : body.pose,
  }));
  return { ...mechanism, bodies };
}

function boundsOf(name: string, mechanism: Mechanism): Bounds {
  const { bounds } = subjectOf(mechanism).seenAt(new Map());
  if (!(bounds.minX <= bounds.maxX)) throw new Unrenderable(`nothing is seen of ${name}`);
  return bounds;
}

function boxAt(name: string, bounds: Bounds, at: readonly [x: number, y: number]): Box {
  const { minX, minY, minZ, maxX, maxY, maxZ } = bounds;
  return { name, at, size: [maxX - minX, maxY - minY, maxZ - minZ] };
}

function refuseTouching(boxes: readonly Box[]): void {
  for (const [index, one] of boxes.entries()) {
    for (const other of boxes.slice(index + 1)) {
      const apart = ([0, 1] as const).some(
        (axis) => Math.abs(one.at[axis] - other.at[axis]) >= (one.size[axis] + other.size[axis]) / 2,
      );
      if (!apart)
        throw new Unrenderable(
          `${one.name} (${sides(one)}) and ${other.name} (${sides(other)}) touch where they are placed`,
        );
    }
  }
}

function sides({ size: [x, y] }: Box): string {
  return `${Number(x.toPrecision(3))} × ${Number(y.toPrecision(3))} m`;
}

function named(body: Body, of: string): Body {
  return {
    ...body,
    name: `${of}_${body.name}`,
    parent: body.parent === undefined ? undefined : `${of}_${body.parent}`,
    joints: body.joints.map((joint): Joint => {
      const { mimics } = joint;
      return {
        ...joint,
        name: `${of}_${joint.name}`,
        ...(mimics && { mimics: { ...mimics, joint: `${of}_${mimics.joint}` } }),
      };
    }),
    shapes: body.shapes.map((shape) => ({ ...shape, name: `${of}_${shape.name}` })),
  };
}
