import { embeddingText, type ManifestAsset } from '@bindery/contract';
import { describe, expect, test } from 'vitest';

describe('the embedding text of an asset', () => {
  const mug: ManifestAsset = { id: 'mug', files: [] };

  test('is its title, tags and description, in this order', () => {
    const asset = { ...mug, description: 'Holds tea.', tags: ['kitchen', 'cup'], title: 'Red mug.' };
    expect(embeddingText(asset)).toBe('Red mug. kitchen, cup. Holds tea');
  });

  test('leaves out parts that hold no words', () => {
    expect(embeddingText({ ...mug, title: 'Red mug', description: '  ' })).toBe('Red mug');
    expect(embeddingText({ ...mug, title: '...', tags: ['cup'] })).toBe('cup');
  });

  test('is null if title, tags and description hold no words', () => {
    expect(embeddingText(mug)).toBeNull();
    expect(embeddingText({ ...mug, title: '', tags: [], description: ' ' })).toBeNull();
    expect(embeddingText({ ...mug, title: '...' })).toBeNull();
  });
});
