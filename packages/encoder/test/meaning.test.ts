import { expect, test } from 'vitest';
import { assetParts } from '../src/included/included-model.ts';
import { meaningOf } from '../src/nouns/meaning.ts';

test('the name of a thing means what its nouns are defined by, and kinds of', () => {
  const { definition, broader } = meaningOf('GlamVelvetSofa');
  expect(definition).toContain('upholstered');
  expect(broader).toContain('couch');
  expect(meaningOf('fire engine').broader).toContain('fire truck');
  expect(meaningOf('Unitree Go2').broader).toContain('quadruped');
});

test('what is no name has no meaning added', () => {
  const none = { definition: '', broader: '' };
  expect(meaningOf('xyzzy 12')).toEqual(none);
  expect(meaningOf('A chair that stands beside the table in the kitchen')).toEqual(none);
  expect(assetParts('xyzzy. red')).toEqual([
    { text: 'xyzzy', weight: 1 },
    { text: 'red', weight: 1 },
  ]);
});
