import { expect, test } from 'vitest';
import type { Instance } from '../src/model/scene.ts';
import { chainsOf, handsOf, partWords } from '../src/model/structure.ts';

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

/** Names of links by what they hang on; those in capital letters have a joint of their own. */
function handsIn(tree: readonly (readonly [name: string, parent: string])[], unseen: readonly string[] = []) {
  const places = new Map(tree.map(([name], place) => [name, place]));
  const links = tree.map(([name, parent]) => ({
    ...{ name: name.toLowerCase(), parent: places.get(parent) ?? -1 },
    joints: Number(/^[A-Z]/.test(name)),
  }));
  const instances = tree.map(([name]) => ({ names: [name] }) as unknown as Instance);
  const drawn = instances.flatMap((instance, link) =>
    unseen.includes(tree[link]?.[0] ?? '') ? [] : [{ instance, link }],
  );
  return handsOf(links, drawn).map((hand) => [hand.name, ...hand.instances.flatMap(({ names }) => names)]);
}

const ARM = [
  ['base', ''],
  ['Shoulder', 'base'],
  ['Elbow', 'Shoulder'],
  ['Wrist', 'Elbow'],
  ['Roll', 'Wrist'],
] as const;

test('what hangs on a link that is called a hand, or on one with several fingers, is the hand of an arm', () => {
  const hand = [
    ['panda/hand', 'Roll'],
    ['Left', 'panda/hand'],
    ['Right', 'panda/hand'],
  ] as const;
  expect(handsIn([...ARM, ...hand])).toEqual([['hand', 'panda/hand', 'Left', 'Right']]);
  const fingers = [
    ['coupler', 'Roll'],
    ['Finger_1', 'coupler'],
    ['Finger_1_tip', 'Finger_1'],
    ['Finger_2', 'coupler'],
  ] as const;
  expect(handsIn([...ARM, ...fingers])).toEqual([
    ['coupler', 'coupler', 'Finger_1', 'Finger_1_tip', 'Finger_2'],
  ]);
});

test('neither a hand by itself, nor what has no parts, nor a handle is the hand of an arm', () => {
  expect(handsIn([['palm', ''], ...['A', 'B', 'C', 'D', 'E'].map((one) => [one, 'palm'] as const)])).toEqual(
    [],
  );
  expect(handsIn([...ARM, ['hand', 'Roll'], ['hand_camera', 'hand']], ['hand_camera'])).toEqual([]);
  expect(handsIn([...ARM, ['handle', 'Roll'], ['Latch', 'handle']])).toEqual([]);
  const gripper = [...ARM, ['gripper', 'Roll'], ['Jaw', 'gripper']] as const;
  expect(handsIn(gripper)).toHaveLength(1);
  expect(
    handsIn(
      gripper,
      ARM.map(([name]) => name),
    ),
  ).toEqual([]);
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
