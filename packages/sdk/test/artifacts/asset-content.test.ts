import { describe, expect, test } from 'vitest';
import { textOf } from '../../src/artifacts/asset-content.ts';

describe('the text of an asset', () => {
  const mug = { id: 'mug', files: [] };

  test('is title, tags and description in this order', () => {
    const asset = { ...mug, description: 'Holds tea.', tags: ['kitchen', 'cup'], title: 'Red mug.' };
    expect(textOf(asset)).toBe('Red mug. kitchen, cup. Holds tea');
  });

  test('is what there is of them', () => {
    expect(textOf({ ...mug, title: 'Red mug', description: '  ' })).toBe('Red mug');
    expect(textOf({ ...mug, title: '...', tags: ['cup'] })).toBe('cup');
  });

  test('is none where the author says nothing', () => {
    expect(textOf(mug)).toBeNull();
    expect(textOf({ ...mug, title: '', tags: [], description: ' ' })).toBeNull();
    expect(textOf({ ...mug, title: '...' })).toBeNull();
  });
});
