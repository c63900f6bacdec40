import type { PlacedPart, Placement } from '@bindery/formats';
import { type Bounds, boundsOf as boundsOfPoints } from '@bindery/formats/model/bounds';
import { placeBodies } from '@bindery/formats/model/kinematics';
import {
  IDENTITY,
  multiply,
  rotation,
  scaling,
  transformPoints,
  translation,
} from '@bindery/formats/model/matrix';
import {
  type Body,
  type Joint,
  type Mechanism,
  ON_EARTH,
  type Shape,
} from '@bindery/formats/model/mechanism';
import { surfaceOf } from '@bindery/formats/model/primitives';
import { DEFAULT_MATERIAL } from '@bindery/formats/model/scene';
import { WORLD } from '@bindery/formats/model/tree';
import { Unrenderable } from '@bindery/formats/reading/errors';

/** A mechanism that is to stand in a scene. */
export interface ScenePart extends Placement {
  readonly mechanism: Mechanism;
}

/** Between the boxes of parts that stand in a row, in metres. */
const GAP = 0.1;

/** What stands above another part does not begin in it. */
const CLEARANCE = 0.001;

/** A thing that is longer than this, in metres, and this many times as long as another is more likely in another unit. */
const MAX_SIDE = 20;
const MAX_RATIO = 20;

/**
 * Stands mechanisms on a floor, or on top of each other, such that the boxes around what is seen of them, with joints at
 * their reference, do not touch. @throws Unrenderable if places that are given make two of them touch, for sizes that do
 * not belong together, and for one of which nothing is seen.
 */
export function composeScene(parts: readonly ScenePart[]): { mechanism: Mechanism; placed: PlacedPart[] } {
  const turned = parts.map((part) => {
    const turn = rotation([0, 0, 1], (part.turn * Math.PI) / 180);
    const mechanism = moved({ mechanism: scaled(part) }, turn);
    return { part, mechanism, bounds: boundsOf(part.name, mechanism) };
  });
  refuseScales(turned);
  const boxes: Box[] = [];
  for (const { part, bounds } of turned)
    if (part.at && part.on === undefined) boxes.push(boxAt(part.name, bounds, part.at));
  let end = Math.max(0, ...boxes.map(({ at, size }) => at[0] + size[0] / 2 + GAP));
  for (const { part, bounds } of turned) {
    if (part.at || part.on !== undefined) continue;
    const width = bounds.maxX - bounds.minX;
    boxes.push(boxAt(part.name, bounds, [end + width / 2, 0]));
    end += width + GAP;
  }
  for (const { part, bounds } of turned) {
    if (part.on === undefined) continue;
    const below = boxes.find(({ name }) => name === part.on);
    if (!below) throw new Unrenderable(`${part.name} stands on a part that does not come before it`);
    const [x, y] = part.at ?? [0, 0];
    const top = below.height + below.size[2] + CLEARANCE;
    const box = boxAt(part.name, bounds, [below.at[0] + x, below.at[1] + y], top);
    const isAbove = ([0, 1] as const).every(
      (axis) => Math.abs(box.at[axis] - below.at[axis]) <= below.size[axis] / 2,
    );
    if (!isAbove)
      throw new Unrenderable(`the middle of ${part.name} is not above ${below.name} (${sides(below)})`);
    boxes.push(box);
  }
  refuseTouching(boxes);
  const byName = new Map(boxes.map((box) => [box.name, box]));
  const bodies = turned.flatMap(({ part, mechanism, bounds }) => {
    const {
      at: [x, y],
      height,
    } = byName.get(part.name) ?? { at: [0, 0], height: 0 };
    const [middleX, middleY] = [(bounds.minX + bounds.maxX) / 2, (bounds.minY + bounds.maxY) / 2];
    return moved(
      { ...part, mechanism },
      translation(x - middleX, y - middleY, height - bounds.minZ),
    ).bodies.map((body) => named(body, part.name));
  });
  const mechanism: Mechanism = {
    name: 'scene',
    bodies: [FLOOR, ...bodies, ...supportsOf(turned, boxes)],
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
    physics: ON_EARTH,
    faults: [],
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

/** What things stand on that nothing collides with holds them by the box around it. */
function supportsOf(
  parts: readonly { part: ScenePart; mechanism: Mechanism }[],
  boxes: readonly Box[],
): Body[] {
  const used = new Set(parts.map(({ part }) => part.on));
  return parts.flatMap(({ part: { name }, mechanism }) => {
    const box = boxes.find((one) => one.name === name);
    const collides = mechanism.bodies.some(({ shapes }) => shapes.some(({ role }) => role === 'collision'));
    if (!used.has(name) || collides || !box) return [];
    const form = { type: 'box', size: box.size } as const;
    const shape = {
      name: `${name}_support`,
      role: 'collision',
      pose: IDENTITY,
      form,
      material: undefined,
    } as const;
    const pose = translation(box.at[0], box.at[1], box.height + box.size[2] / 2);
    return [
      { name: `${name}_support`, parent: undefined, pose, joints: [], inertial: undefined, shapes: [shape] },
    ];
  });
}

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
  const frames = placeBodies(mechanism, new Map());
  const surfaces = mechanism.bodies.flatMap((body) =>
    body.shapes.flatMap(({ role, form, pose }) => {
      if (role !== 'visual' || form.type === 'plane') return [];
      const frame = multiply(frames.get(body.name) ?? IDENTITY, pose);
      const geometries =
        form.type === 'mesh' ? form.parts.map(({ geometry }) => geometry) : [surfaceOf(form)];
      return geometries.map(({ positions }) => transformPoints(frame, positions));
    }),
  );
  const bounds = boundsOfPoints(surfaces);
  if (!(bounds.minX <= bounds.maxX)) throw new Unrenderable(`nothing is seen of ${name}`);
  return bounds;
}

function boxAt(name: string, bounds: Bounds, at: readonly [x: number, y: number], height = 0): Box {
  const { minX, minY, minZ, maxX, maxY, maxZ } = bounds;
  return { name, at, height, size: [maxX - minX, maxY - minY, maxZ - minZ] };
}

/** A mesh in another size; its own if none is given. @throws Unrenderable for what has joints or masses. */
function scaled({ name, mechanism, scale = 1 }: ScenePart): Mechanism {
  if (scale === 1) return mechanism;
  const isMesh = mechanism.bodies.every(
    ({ joints, inertial, shapes }) =>
      joints.length === 0 && !inertial && shapes.every(({ form }) => form.type === 'mesh'),
  );
  if (!isMesh)
    throw new Unrenderable(
      `${name} has joints, masses or forms, which "scale" does not resize: leave it out`,
    );
  const larger = scaling(scale, scale, scale);
  const bodies = mechanism.bodies.map((body) => ({
    ...body,
    shapes: body.shapes.map((shape) => ({ ...shape, pose: multiply(larger, shape.pose) })),
  }));
  return { ...mechanism, bodies };
}

function refuseScales(parts: readonly { part: ScenePart; bounds: Bounds }[]): void {
  const sized = parts.map(({ part, bounds }) => {
    return { part, side: Math.max(...boxAt(part.name, bounds, [0, 0]).size) };
  });
  const smallest = sized.reduce((one, other) => (other.side < one.side ? other : one));
  const tooLarge = sized.find(
    ({ part, side }) => part.scale === undefined && side > MAX_SIDE && side > MAX_RATIO * smallest.side,
  );
  if (tooLarge === undefined) return;
  const [long, short] = [tooLarge.side, smallest.side].map((side) => Number(side.toPrecision(3)));
  throw new Unrenderable(
    `${tooLarge.part.name} is ${long} m long beside ${smallest.part.name} of ${short} m, as if its unit were another: give it a "scale", such as 0.01 for centimetres, or 1 if it is that long`,
  );
}

function refuseTouching(boxes: readonly Box[]): void {
  for (const [index, one] of boxes.entries()) {
    for (const other of boxes.slice(index + 1)) {
      const isBeside = ([0, 1] as const).some(
        (axis) => Math.abs(one.at[axis] - other.at[axis]) >= (one.size[axis] + other.size[axis]) / 2,
      );
      const isAbove = one.height >= other.height + other.size[2] || other.height >= one.height + one.size[2];
      const apart = isBeside || isAbove;
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
