import { describe, expect, test } from 'vitest';
import { FORMATS } from '../../formats/src/index.ts';
import { type Bounds, boundsOf, transformBounds, unionBounds } from '../../formats/src/model/bounds.ts';
import { drawnParts } from '../../formats/src/model/drawn-mechanism.ts';
import {
  atOrigin,
  type Configuration,
  placeBodies,
  randomConfiguration,
} from '../../formats/src/model/kinematics.ts';
import { IDENTITY, multiply, rotation, transformPoints } from '../../formats/src/model/matrix.ts';
import type { Mechanism, Shape } from '../../formats/src/model/mechanism.ts';
import { WORLD } from '../../formats/src/model/tree.ts';
import { type ModelEntry, readMechanism } from '../../formats/src/read.ts';
import { createRendererContext } from '../src/host/renderer-context.ts';
import { memoryFiles } from '../src/index.ts';
import { seeded } from '../src/random.ts';
import { machineFiles } from './models/machine.ts';
import { MECHANISM } from './models/mechanism.ts';
import { everySample } from './models/samples.ts';
import { USD_ARM } from './models/usd.ts';

interface Source extends ModelEntry {
  readonly name: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

const ONE_OF_EACH = ['mjcf', 'urdf', 'sdf with a mesh', 'glb', 'obj with mtl', 'usd as text with Y up'];
const samples: readonly Source[] = await everySample();
const SOURCES: readonly Source[] = [
  ...ONE_OF_EACH.flatMap((name) => samples.filter((sample) => sample.name === name)),
  { name: 'a machine', kind: 'mjcf', entry: 'machine.xml', files: await machineFiles() },
  { name: 'a mechanism', kind: 'mjcf', entry: 'm.xml', files: new Map([['m.xml', Buffer.from(MECHANISM)]]) },
  { name: 'an arm', kind: 'usd', entry: 'arm.usda', files: new Map([['arm.usda', Buffer.from(USD_ARM)]]) },
];

const read = ({ kind, entry }: ModelEntry, files: ReadonlyMap<string, Uint8Array>) =>
  readMechanism({ kind, entry }, createRendererContext(memoryFiles(files)));

/** Numbers as exactly as files with 32 bits for each keep them. */
function rounded<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_key, part) => (typeof part === 'number' ? Number(part.toFixed(5)) + 0 : part)),
  ) as T;
}

/** The box around the shapes of a role, with joints at these values. */
function boxOf(mechanism: Mechanism, role: Shape['role'], configuration: Configuration): Bounds {
  const frames = placeBodies(mechanism, configuration);
  const boxes = mechanism.bodies.flatMap(({ name, shapes }) =>
    shapes
      .filter((shape) => shape.role === role && shape.form.type !== 'plane')
      .flatMap(drawnParts)
      .map(({ geometry, transform }) => {
        const placed = multiply(frames.get(name) ?? IDENTITY, transform);
        return boundsOf([transformPoints(placed, geometry.positions)]);
      }),
  );
  return rounded(unionBounds(boxes));
}

/** What a model is: what is in it by name, and where that is with joints at these values. */
function described(mechanism: Mechanism, configuration: Configuration) {
  const { bodies, actuators, physics } = mechanism;
  const joints = bodies.flatMap((body) => body.joints.filter(({ type }) => type !== 'free'));
  const byName = <T extends { name: string }>(all: readonly T[]) =>
    all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return rounded({
    // Bodies between joints, which some formats need and give next to no mass, are nothing.
    bodies: byName(bodies).flatMap(({ name, inertial, shapes, joints }) => {
      const { mass } = inertial ?? { mass: 0 };
      const isFloating = joints.some(({ type }) => type === 'free');
      if (mass < 1e-5 && shapes.length === 0 && !isFloating) return [];
      const visuals = shapes.filter(({ role }) => role === 'visual').length;
      return [{ name, mass, isFloating, visuals, colliders: shapes.length - visuals }];
    }),
    joints: byName(joints).map(({ name, type, limits, mimics }) => ({ name, type, limits, mimics })),
    // A motor is no more than the effort of a joint, where that is all that a format has of drives.
    servos: actuators
      .filter(({ type }) => type !== 'motor')
      .map(({ joint, type, kp, kv }) => [joint, type, kp, kv].join(' '))
      .sort(),
    gravity: physics.gravity,
    seen: boxOf(mechanism, 'visual', configuration),
    colliding: boxOf(mechanism, 'collision', configuration),
  });
}

const AT_REFERENCE: Configuration = new Map();

/** A glTF file is read as what is seen of it, which faces along Z there and against Y here, however robots face. */
function seenOfGltf(mechanism: Mechanism): Bounds {
  const front = mechanism.front === '-y' ? IDENTITY : rotation([0, 0, 1], -Math.PI / 2);
  return rounded(transformBounds(boxOf(mechanism, 'visual', AT_REFERENCE), front));
}

const WRITTEN = FORMATS.filter(({ loadWriter }) => loadWriter !== undefined);

describe.each(WRITTEN)('what is written as $name', ({ name: format, loadWriter }) => {
  test.each(SOURCES)('is read again as what it was: $name', async ({ files, ...source }) => {
    const writer = (await loadWriter?.())!;
    const adapted = writer.adapt(await read(source, files));
    const kind = format === 'gltf' ? 'mesh' : format;
    const again = await read({ kind, entry: writer.entry }, await writer.write(adapted));
    if (format === 'gltf') {
      expect(boxOf(again, 'visual', AT_REFERENCE)).toEqual(seenOfGltf(adapted));
      return;
    }
    expect(described(again, atOrigin(adapted))).toEqual(described(adapted, atOrigin(adapted)));
    const moved = randomConfiguration(adapted, seeded(1));
    expect(described(again, moved)).toEqual(described(adapted, moved));
  });

  test.each(SOURCES)('has all of it, or names what is lost: $name', async ({ files, ...source }) => {
    const writer = (await loadWriter?.())!;
    const mechanism = await read(source, files);
    const adapted = writer.adapt(mechanism);
    const names = writer.names?.(mechanism);
    const kept = new Set([
      ...adapted.bodies.flatMap(({ name, joints }) => [name, ...joints.map((joint) => joint.name)]),
      ...adapted.actuators.map(({ name }) => name),
    ]);
    const named = new Set([...adapted.losses, ...mechanism.losses].flatMap((loss) => loss.names));
    const bodies = mechanism.bodies.filter(({ name }) => name !== WORLD);
    const all = [
      ...bodies.map(({ name }) => [name, names?.bodies.get(name)]),
      ...mechanism.bodies.flatMap(({ joints }) => joints.map(({ name }) => [name, names?.joints.get(name)])),
      ...mechanism.actuators.map(({ name }) => [name]),
    ];
    const unnamed = all.filter((own) => !own.some((name) => name && (kept.has(name) || named.has(name))));
    expect(unnamed).toEqual([]);
  });
});
