import { expect, test } from 'vitest';
import { chainsOf, partWords } from '../src/model/structure.ts';

test('a tree of bodies has an end for each leg, with the joints that lead to it', () => {
  const leg = [1, 1, 1];
  const dog = [{ parent: -1, joints: 0 }];
  for (let side = 0; side < 4; side++)
    for (const [at, joints] of leg.entries()) dog.push({ parent: at === 0 ? 0 : dog.length - 1, joints });
  expect(chainsOf(dog)).toEqual([3, 3, 3, 3]);
});

test('fingers of a gripper share the joints of the arm, and what is fixed ends nothing', () => {
  const arm = Array.from({ length: 6 }, (_, at) => ({ parent: at - 1, joints: 1 }));
  const fingers = [
    { parent: 5, joints: 1 },
    { parent: 5, joints: 1 },
    { parent: 6, joints: 0 },
  ];
  expect(chainsOf([...arm, ...fingers])).toEqual([7, 7]);
  expect(chainsOf([{ parent: -1, joints: 0 }])).toEqual([]);
});

test('parts are called by words, without where they are and what kind of thing of a file they are', () => {
  const names = [
    'base_link',
    'FL_thigh',
    'FR_thigh',
    'RL_thigh',
    'RR_thigh',
    'LeftFoot',
    'rightFoot_mesh',
    'Cube.001',
  ];
  expect(partWords(names)).toEqual({ thigh: 4, foot: 2 });
  expect(
    Object.keys(partWords(Array.from({ length: 99 }, (_, at) => `part ${'abcdefghij'[at % 10]}xyz`))),
  ).toHaveLength(10);
});
