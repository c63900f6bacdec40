import { describe, expect, test } from 'vitest';
import { forMujoco } from '../../../formats/src/mjcf/adapt.ts';
import { MJCF_ENTRY, writeMjcf } from '../../../formats/src/mjcf/write.ts';
import { multiply, rotation, translation } from '../../../formats/src/model/matrix.ts';
import { type Joint, type Mechanism, PLAIN_JOINT, type Shape } from '../../../formats/src/model/mechanism.ts';
import { box } from '../../../formats/src/model/primitives.ts';
import { DEFAULT_MATERIAL, type Texture } from '../../../formats/src/model/scene.ts';
import { memoryFiles } from '../../../formats/src/reading/asset-files.ts';
import { withCompiled } from '../../src/convert/compiled.ts';
import { readModel } from '../../src/convert/convert.ts';
import { prove, subjectOf } from '../../src/convert/proof.ts';
import { createRendererContext } from '../../src/host/renderer-context.ts';
import { MECHANISM } from '../models/mechanism.ts';

const mechanism = () =>
  readModel({
    kind: 'mjcf',
    format: undefined,
    entry: 'robot.xml',
    files: memoryFiles(new Map([['robot.xml', new TextEncoder().encode(MECHANISM)]])),
  });

/** The collision shape of the hand, a box, as something else, or as several or none. */
function withPalm(original: Mechanism, changed: (palm: Shape) => Shape[]): Mechanism {
  const isPalm = ({ name, role }: Shape) => name.startsWith('palm') && role === 'collision';
  const bodies = original.bodies.map((body) => ({
    ...body,
    shapes: body.shapes.flatMap((shape) => (isPalm(shape) ? changed(shape) : [shape])),
  }));
  return { ...original, bodies };
}

const DEFECTS: [defect: string, changed: (palm: Shape) => Shape[]][] = [
  ['is missing', () => []],
  ['is there twice', (palm) => [palm, palm]],
  ['is 10 µm beside', (palm) => [{ ...palm, pose: multiply(palm.pose, translation(0, 0, 1e-5)) }]],
  ['is turned a little', (palm) => [{ ...palm, pose: multiply(palm.pose, rotation([0, 0, 1], 1e-3)) }]],
  ['is a little smaller', (palm) => [{ ...palm, form: { type: 'box', size: [0.1, 0.2, 0.0399] } }]],
  ['has become a sphere', (palm) => [{ ...palm, form: { type: 'sphere', radius: 0.1 } }]],
];

test('a mechanism is proved to collide as itself', async () => {
  const original = await mechanism();
  const { proof, losses } = prove(original, subjectOf(withPalm(original, (palm) => [palm])));
  expect(losses).toEqual(original.losses);
  expect(proof).toContainEqual(expect.objectContaining({ what: expect.stringContaining('collision') }));
});

test.each(DEFECTS)('a conversion in which a collision shape %s is not proved', async (_defect, changed) => {
  const original = await mechanism();
  const result = subjectOf(withPalm(original, changed));
  expect(() => prove(original, result)).toThrow(/not proved: .*collision shapes/);
});

test.each(DEFECTS)('MJCF in which a collision shape %s is not proved', async (_defect, changed) => {
  const original = forMujoco(await mechanism());
  const files = await writeMjcf(withPalm(original, changed));
  const proof = withCompiled(MJCF_ENTRY, createRendererContext(memoryFiles(files)), (compiled) =>
    prove(original, compiled),
  );
  await expect(proof).rejects.toThrow(/not proved: .*collision shapes/);
});

/** A mechanism in which each joint, or all of it, is different. */
const changedJoints = (changed: Partial<Joint>) => (original: Mechanism) => ({
  ...original,
  bodies: original.bodies.map((body) => ({
    ...body,
    joints: body.joints.map((joint) => ({ ...joint, ...changed })),
  })),
});

test.each<[what: string, message: RegExp, changed: (original: Mechanism) => Mechanism]>([
  ['armature', /armature/, changedJoints({ armature: 0.011 })],
  ['stiffness', /springs/, changedJoints({ stiffness: 3.1 })],
  ['rest of springs', /springs/, changedJoints({ springReference: 0.3, stiffness: 3 })],
  ['effort', /effort/, changedJoints({ effort: 7 })],
  ['speed', /speed/, changedJoints({ velocity: 7 })],
  ['leader', /limits/, changedJoints({ mimics: { joint: 'lift', multiplier: -0.5, offset: -0.2 } })],
  [
    'gravity',
    /gravity/,
    (original) => ({ ...original, physics: { ...original.physics, gravity: [0, 0, -9.8] } }),
  ],
  ['servo', /actuators/, (original) => ({ ...original, actuators: [] })],
  [
    'gain',
    /actuators/,
    (original) => ({ ...original, actuators: original.actuators.map((one) => ({ ...one, kp: 21 })) }),
  ],
  ['excluded pair', /pairs of bodies/, (original) => ({ ...original, excluded: [] })],
  [
    'floor',
    /float/,
    (original) => ({
      ...original,
      bodies: original.bodies.map((body) =>
        body.parent === undefined && body.joints.length === 0
          ? { ...body, joints: [{ ...PLAIN_JOINT, name: 'loose', type: 'free' }] }
          : body,
      ),
    }),
  ],
  ['friction', /collision shapes/, (original) => withPalm(original, (palm) => [{ ...palm, friction: 0.5 }])],
])('a conversion with another %s is not proved', async (_what, message, changed) => {
  const original = await mechanism();
  expect(() => prove(original, subjectOf(changed(original)))).toThrow(message);
});

describe('what is seen', () => {
  const picture = (shade: number): Texture => {
    const data = Uint8Array.from({ length: 16 * 16 * 4 }, (_, at) => (at % 4 === 3 ? 255 : shade));
    return { wrapU: 'repeat', wrapV: 'repeat', uvSet: 0, levels: [{ width: 16, height: 16, data }] };
  };
  /** The visual of the hand as a mesh with a picture. */
  const seen = (original: Mechanism, change: (indices: Uint32Array) => Uint32Array, shade = 100) => ({
    ...original,
    bodies: original.bodies.map((body) => ({
      ...body,
      shapes: body.shapes.map((shape): Shape => {
        if (!shape.name.startsWith('palm') || shape.role !== 'visual') return shape;
        const geometry = box(0.1, 0.2, 0.04);
        const part = { geometry: { ...geometry, indices: change(geometry.indices) }, material: undefined };
        const material = { ...DEFAULT_MATERIAL, baseColorTexture: picture(shade) };
        return { ...shape, material, form: { type: 'mesh', name: 'palm', parts: [part] } };
      }),
    })),
  });
  const same = (indices: Uint32Array) => indices;

  test('is not proved inside out', async () => {
    const original = await mechanism();
    const result = subjectOf(seen(original, (indices) => indices.toReversed()));
    expect(() => prove(seen(original, same), result)).toThrow(/not proved: .*winding of what is seen/);
  });

  test('may be compressed, and is named where it is another picture', async () => {
    const original = seen(await mechanism(), same);
    const losses = (shade: number) => prove(original, subjectOf(seen(original, same, shade))).losses;
    expect(losses(102)).toEqual(original.losses);
    expect(losses(120)).toContainEqual({
      what: 'texture',
      names: ['hand'],
      why: 'it does not look the same',
    });
  });
});
