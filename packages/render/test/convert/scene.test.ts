import { expect, test } from 'vitest';
import { readModel, writeModel } from '../../src/convert/convert.ts';
import { composeScene, type ScenePart } from '../../src/convert/scene.ts';
import { MJCF_ENTRY } from '../../src/convert/write/mjcf.ts';
import { memoryFiles } from '../../src/files.ts';
import { simulateFiles } from '../../src/simulate/simulate-files.ts';

const TABLE = `<mujoco><worldbody><geom type="plane" size="1 1 .1"/>
  <geom name="top" type="box" size=".5 .25 .02" pos="0 0 .7"/><geom name="leg" type="box" size=".03 .03 .34" pos="0 0 .34"/>
  </worldbody></mujoco>`;
const BALL = `<mujoco><worldbody><body name="ball" pos="0 0 3"><freejoint name="free"/>
  <geom name="ball" type="sphere" size=".1" mass="1"/></body></worldbody></mujoco>`;

async function part(name: string, xml: string, place: Partial<ScenePart> = {}): Promise<ScenePart> {
  const files = memoryFiles(new Map([['model.xml', new TextEncoder().encode(xml)]]));
  const mechanism = await readModel({ kind: 'mjcf', format: 'xml', entry: 'model.xml', files });
  return { name, mechanism, turn: 0, ...place };
}

test('things without a place stand in a row on the floor, a little apart', async () => {
  const { placed } = composeScene([
    await part('table', TABLE),
    await part('one', BALL),
    await part('two', BALL),
  ]);
  expect(placed).toEqual([
    { name: 'table', at: [0.5, 0], size: [expect.closeTo(1), expect.closeTo(0.5), expect.closeTo(0.72)] },
    { name: 'one', at: [expect.closeTo(1.2), 0], size: expect.anything() },
    { name: 'two', at: [expect.closeTo(1.5), 0], size: expect.anything() },
  ]);
});

test('things stand where they are placed, turned, and those without a place beside them', async () => {
  const { placed } = composeScene([
    await part('one', BALL),
    await part('table', TABLE, { at: [2, 1], turn: 90 }),
  ]);
  expect(placed[1]).toMatchObject({
    at: [2, 1],
    size: [expect.closeTo(0.5), expect.closeTo(1), expect.closeTo(0.72)],
  });
  expect(placed[0]?.at[0]).toBeGreaterThan(2.25);
});

test('things that are placed so that they touch are refused by name', async () => {
  const parts = [await part('one', BALL, { at: [0, 0] }), await part('table', TABLE, { at: [0.3, 0] })];
  expect(() => composeScene(parts)).toThrow(
    'one (0.2 × 0.2 m) and table (1 × 0.5 m) touch where they are placed',
  );
});

test('a scene simulates in MuJoCo, with each thing on the floor and named after itself', async () => {
  const { mechanism } = composeScene([await part('one', BALL), await part('two', BALL)]);
  const { files } = await writeModel(mechanism, 'mjcf');
  const xml = new TextDecoder().decode(files.get(MJCF_ENTRY));
  expect(xml).toContain('name="one_free"');
  expect(xml).toContain('name="two_free"');
  const { problems, rest } = await simulateFiles(files, MJCF_ENTRY);
  expect(problems).toEqual([]);
  expect(rest?.contacts).toBe(2);
});
