import { expect, test } from 'vitest';
import { type AssetStatistics, deriveWords, formatDerivedWords, readStatistics } from '../src/index.ts';

test.each<[string, AssetStatistics, string]>([
  [
    'a dog',
    { joints: 12, chains: [3, 3, 3, 3], parts: { thigh: 4, calf: 4 } },
    'quadruped robot with four legs and 12 joints',
  ],
  ['an arm', { joints: 7, chains: [7] }, 'robot arm with 7 joints'],
  [
    'an arm with two fingers',
    { joints: 9, slides: 2, chains: [8, 8], parts: { finger: 2 } },
    'robot arm with 7 joints and a gripper',
  ],
  [
    'an arm with three fingers',
    { joints: 10, chains: [8, 8, 8], parts: { finger: 6, tip: 3 } },
    'robot arm with 7 joints and a gripper with three fingers',
  ],
  [
    'an arm with a linkage that two fingers close',
    { joints: 13, chains: [9, 9, 8, 8], parts: { knuckle: 4, finger: 2 } },
    'robot arm with 7 joints and a gripper',
  ],
  [
    'what branches in several places',
    { joints: 54, chains: [12, 12, 12, 12, 12, 12, 11, 11, 11, 11, 4], parts: { thumb: 8, arm: 2 } },
    '54 joints',
  ],
  ['a foot with toes', { joints: 93, chains: [20, 20, 20, 20, 20, 2], parts: { phalanx: 45 } }, '93 joints'],
  [
    'a car with a wheel to steer by',
    { joints: 8, chains: [2, 2, 2, 2, 1], parts: { wheel: 5, steering: 1 } },
    'wheeled, 8 joints',
  ],
  [
    'a hand',
    { joints: 16, chains: [4, 4, 4, 4], parts: { palm: 1, tip: 4 } },
    'robot hand with four fingers and 16 joints',
  ],
  ['a gripper', { joints: 2, slides: 2, chains: [1, 1], parts: { finger: 2 } }, 'gripper with 2 joints'],
  [
    'a humanoid',
    { joints: 23, chains: [6, 6, 5, 5, 1], parts: { thigh: 2, shoulder: 2 } },
    'humanoid robot with two legs, two arms and 23 joints',
  ],
  ['two legs', { joints: 6, chains: [3, 3], parts: { leg: 4 } }, 'biped robot with two legs and 6 joints'],
  ['a drone', { joints: 4, chains: [1, 1, 1, 1], parts: { rotor: 4 } }, 'multicopter with four rotors'],
  ['a cart', { joints: 4, chains: [1, 1, 1, 1], parts: { wheel: 4 } }, 'wheeled, four wheels and 4 joints'],
  [
    'an arm on wheels',
    { joints: 9, chains: [7, 1, 1], parts: { wheel: 2 } },
    'mobile manipulator robot with wheels, an arm and 9 joints',
  ],
  ['a door', { joints: 1, chains: [1], parts: { door: 1 } }, '1 joint'],
])('%s is told by its joints and the names of its parts', (_, statistics, articulation) => {
  expect(deriveWords(statistics).articulation).toBe(articulation);
});

test('what does not move is described by its size and shape', () => {
  expect(deriveWords({ size: [0.1, 0.1, 0.005] }).form).toEqual(['small', 'flat']);
  expect(deriveWords({ size: [0.1, 4, 0.1], up: 'y' }).form).toEqual(['large', 'tall', 'thin']);
  expect(deriveWords({ size: [1, 1, 1] })).toEqual({ articulation: null, form: [], colors: [], parts: [] });
  expect(formatDerivedWords(deriveWords({}))).toBe('');
  expect(formatDerivedWords(deriveWords({ size: [0.03, 0.03, 0.03], parts: { lid: 1, box: 2 } }))).toBe(
    'tiny; parts: box, lid',
  );
});

test('the colours of a model are those that cover a good part of it', () => {
  const colored = (bins: Readonly<Record<number, number>>) => {
    const bytes = new Uint8Array(473);
    for (const [bin, share] of Object.entries(bins))
      bytes[216 + Number(bin)] = Math.round(127 * Math.sqrt(share));
    bytes[248] = 1;
    return deriveWords({ descriptor: `shape-1:${btoa(String.fromCharCode(...bytes))}` }).colors;
  };
  expect(colored({ 2: 0.7, 31: 0.25, 29: 0.05 })).toEqual(['red', 'white']);
  expect(colored({ 5: 0.6, 8: 0.4 })).toEqual(['yellow']);
  expect(colored({ 1: 0.5, 4: 0.5 })).toEqual(['brown']);
  expect(colored({})).toEqual([]);
});

test('statistics of a stranger are read only as far as they are ones', () => {
  const bad = { chains: ['3'], parts: { 'a b': 1 }, slides: -1, joints: 2 };
  expect(readStatistics({ statistics: bad })).toEqual({ joints: 2 });
  expect(readStatistics({ statistics: { chains: Array(17).fill(1), parts: [] } })).toEqual({});
});
