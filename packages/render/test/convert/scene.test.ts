import { expect, test } from 'vitest';
import { MJCF_ENTRY } from '../../../formats/src/mjcf/write.ts';
import { memoryFiles } from '../../../formats/src/reading/asset-files.ts';
import { readModel, writeModel } from '../../src/convert/convert.ts';
import { composeScene, type ScenePart } from '../../src/convert/scene.ts';
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
    {
      name: 'table',
      at: [0.5, 0],
      height: 0,
      size: [expect.closeTo(1), expect.closeTo(0.5), expect.closeTo(0.72)],
    },
    { name: 'one', at: [expect.closeTo(1.2), 0], height: 0, size: expect.anything() },
    { name: 'two', at: [expect.closeTo(1.5), 0], height: 0, size: expect.anything() },
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

/** A cube with sides of one unit, as a mesh without mass. */
const CUBE = `${[0, 1, 2, 3, 4, 5, 6, 7].map((at) => `v ${at & 1} ${(at >> 1) & 1} ${at >> 2}`).join('\n')}
f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n`;

async function mesh(name: string, unit: number, place: Partial<ScenePart> = {}): Promise<ScenePart> {
  const text = CUBE.replaceAll(
    /^v (\d) (\d) (\d)$/gm,
    (_, ...at) =>
      `v ${at
        .slice(0, 3)
        .map((side) => Number(side) * unit)
        .join(' ')}`,
  );
  const files = memoryFiles(new Map([['cube.obj', new TextEncoder().encode(text)]]));
  const mechanism = await readModel({ kind: 'mesh', format: 'obj', entry: 'cube.obj', files });
  return { name, mechanism, turn: 0, ...place };
}

test('things stand on top of each other, and rest there in MuJoCo', async () => {
  const { mechanism, placed } = composeScene([
    await part('ball', BALL, { on: 'table', at: [0.2, 0.1] }),
    await part('table', TABLE, { at: [1, 1] }),
    await mesh('crate', 0.5),
    await part('other', BALL, { on: 'crate' }),
  ]);
  expect(placed[0]).toMatchObject({
    at: [expect.closeTo(1.2), expect.closeTo(1.1)],
    height: expect.closeTo(0.72, 2),
  });
  expect(placed[3]).toMatchObject({ at: placed[2]?.at, height: expect.closeTo(0.5, 2) });
  const { files } = await writeModel(mechanism, 'mjcf');
  const { problems } = await simulateFiles(files, MJCF_ENTRY);
  expect(problems).toEqual([]);
});

test('what does not stand above the thing that it is on is refused', async () => {
  const beside = [await part('table', TABLE), await part('ball', BALL, { on: 'table', at: [0.6, 0] })];
  expect(() => composeScene(beside)).toThrow('the middle of ball is not above table (1 × 0.5 m)');
  const twice = [
    await part('table', TABLE),
    await part('ball', BALL, { on: 'table' }),
    await part('other', BALL, { on: 'table', at: [0.1, 0] }),
  ];
  expect(() => composeScene(twice)).toThrow('touch where they are placed');
});

test('a mesh in another unit is refused beside other things until its scale is given', async () => {
  const fox = (scale?: number) => mesh('fox', 154, scale === undefined ? {} : { scale });
  const ball = await part('ball', BALL);
  await expect(fox().then((one) => composeScene([ball, one]))).rejects.toThrow(
    /^fox is 154 m long beside ball of 0\.2 m, .*"scale"/,
  );
  const { placed } = composeScene([ball, await fox(0.01)]);
  expect(placed[1]?.size).toEqual([1.54, 1.54, 1.54].map((side) => expect.closeTo(side, 4)));
  expect(composeScene([ball, await fox(1)]).placed[1]?.size[0]).toBeCloseTo(154);
  const robot = await part('robot', BALL, { scale: 2 });
  expect(() => composeScene([robot])).toThrow('robot has joints');
});
