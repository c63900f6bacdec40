import { describe, expect, test } from 'vitest';
import { rounds } from '../../../../test/faults.ts';
import type { Mechanism } from '../../../formats/src/model/mechanism.ts';
import { memoryFiles } from '../../../formats/src/reading/asset-files.ts';
import { Unrenderable } from '../../../formats/src/reading/errors.ts';
import { readUsdMechanism } from '../../../formats/src/usd/mechanism.ts';
import { convertModel } from '../../src/convert/convert.ts';
import { createRendererContext } from '../../src/host/renderer-context.ts';
import { USD_ARM } from '../models/usd.ts';

function stage(text: string) {
  return memoryFiles(new Map([['arm.usda', new TextEncoder().encode(text)]]));
}

async function read(text: string): Promise<Mechanism> {
  return readUsdMechanism('arm.usda', createRendererContext(stage(text)));
}

describe('a robot in USD', () => {
  test('has its bodies where its joints put them, in metres and with Z up', async () => {
    const { name, bodies } = await read(USD_ARM);
    expect(name).toBe('arm');
    expect(bodies.map(({ name: own, parent }) => [own, parent])).toEqual([
      ['base', undefined],
      ['link', 'base'],
      ['hand', 'link'],
    ]);
    const [base, link] = bodies;
    // The stage is in centimetres with Y up, and so are its bodies.
    expect(base?.pose.slice(4, 7)).toEqual([0, 0, 1].map((value) => expect.closeTo(value, 12)));
    expect(link?.pose.slice(12, 15)).toEqual([0, 0.5, 0].map((value) => expect.closeTo(value, 12)));
    expect(bodies.map(({ inertial }) => inertial?.mass)).toEqual([2, 1, undefined]);
  });

  test('has joints in radians and metres, whichever body of them comes first', async () => {
    const [, link, hand] = (await read(USD_ARM)).bodies;
    const [shoulder] = link?.joints ?? [];
    expect(shoulder).toMatchObject({ name: 'shoulder', type: 'hinge' });
    expect(shoulder?.limits?.map((angle) => angle / Math.PI)).toEqual([-0.5, 0.25]);
    expect(shoulder?.axis).toEqual([0, 0, 1].map((value) => expect.closeTo(value, 12)));
    const [grip] = hand?.joints ?? [];
    expect(grip).toMatchObject({ name: 'grip', type: 'slide', limits: [-0.2, 0] });
    expect(grip?.axis).toEqual([0, -1, 0].map((value) => expect.closeTo(value, 12)));
  });

  test('has what is seen and what collides', async () => {
    const [, link] = (await read(USD_ARM)).bodies;
    expect(link?.shapes.map(({ role, form }) => [role, form])).toEqual([
      ['visual', { type: 'box', size: [0.1, 0.1, 0.1].map((side) => expect.closeTo(side, 12)) }],
      ['collision', { type: 'box', size: [0.12, 0.12, 0.12].map((side) => expect.closeTo(side, 12)) }],
    ]);
  });

  test('without a mass that the file says, says so', async () => {
    expect((await read(USD_ARM)).losses).toEqual([
      {
        what: 'mass',
        names: ['hand'],
        why: 'the file does not say it, and nothing that the body collides with has a volume',
      },
    ]);
  });

  test('has servos of its drives', async () => {
    const driven = USD_ARM.replace(
      'def PhysicsRevoluteJoint "shoulder" {',
      `def PhysicsRevoluteJoint "shoulder" (prepend apiSchemas = ["PhysicsDriveAPI:angular"]) {
    float drive:angular:physics:stiffness = 10000
    float drive:angular:physics:damping = 100
    float drive:angular:physics:maxForce = 50000`,
    );
    const [servo] = (await read(driven)).actuators;
    // Torques are in kilograms, centimetres and seconds, angles in degrees.
    expect(servo).toMatchObject({ joint: 'shoulder', type: 'position', forceRange: [-5, 5] });
    expect(servo?.kp).toBeCloseTo(180 / Math.PI, 9);
    expect(servo?.kv).toBeCloseTo(1.8 / Math.PI, 9);
  });

  test.each(['glb', 'usd', 'mjcf'] as const)('becomes %s with proof', async (target) => {
    const request = { kind: 'mesh', format: 'usd', entry: 'arm.usda', files: stage(USD_ARM) };
    const { proof, entry, files } = await convertModel({ ...request, target });
    for (const { what, measured, bound } of proof) expect(measured, what).toBeLessThanOrEqual(bound);
    expect(files.has(entry)).toBe(true);
  });

  test('that is damaged is refused in words, or converted', async () => {
    const random = (() => {
      let state = 7;
      return (below: number) => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
      };
    })();
    const words = ['-1', '0', '1e308', 'nan', 'inf', '</arm>', '</arm/link>', '</arm/hand>', '()', '"Y"'];
    for (let round = 0; round < rounds({ short: 100, long: 5_000 }); round++) {
      const places = [...USD_ARM.matchAll(/(?<== ).+?(?=[\n)}])/g)];
      const place = places[random(places.length)];
      const start = place?.index ?? 0;
      const end = start + (place?.[0].length ?? 0);
      const damaged = `${USD_ARM.slice(0, start)}${words[random(words.length)]}${USD_ARM.slice(end)}`;
      const request = { kind: 'mesh', format: 'usd', entry: 'arm.usda', files: stage(damaged) };
      try {
        await convertModel({ ...request, target: 'glb' });
      } catch (error) {
        if (!(error instanceof Unrenderable)) throw new Error(damaged, { cause: error });
      }
    }
  });
});
