import { expect, test } from 'vitest';
import { formatStatistics } from '../src/commands/library/info.ts';

test('the statistics of an asset are told in words, and nothing is told of what it has not', () => {
  const arm = {
    size: [1.312, 0.355, 0.2634],
    triangles: 116_072,
    bodies: 7,
    joints: 6,
    mass: 32.41,
  } as const;
  expect(formatStatistics({ ...arm, textures: 1, omitted: 2 })).toBe(
    '1.31 × 0.355 × 0.263 m, 116,072 triangles, 7 bodies, 6 joints, 32.4 kg, 1 texture, 2 parts not shown',
  );
  expect(formatStatistics({ splats: 1 })).toBe('1 splat');
  expect(formatStatistics({})).toBe('');
});
