import { diffTexts } from '@bindery/sdk/diff';
import { describe, expect, it } from 'vitest';

const bytes = (text: string) => new TextEncoder().encode(text);
const lines = (count: number, of = 'line') =>
  Array.from({ length: count }, (_, at) => `${of} ${at}\n`).join('');

describe('The diff of two texts', () => {
  it('has each change with the lines around it, and where it begins on both sides', () => {
    const before = lines(20);
    const after = before.replace('line 1\n', 'line 1\nline 1.5\n').replace('line 15\n', 'another\n');
    expect(diffTexts(bytes(before), bytes(after))).toEqual([
      { before: 1, after: 1, lines: [' line 0', ' line 1', '+line 1.5', ' line 2', ' line 3', ' line 4'] },
      {
        before: 13,
        after: 14,
        lines: [
          ' line 12',
          ' line 13',
          ' line 14',
          '-line 15',
          '+another',
          ' line 16',
          ' line 17',
          ' line 18',
        ],
      },
    ]);
  });

  it('is empty for equal texts', () => {
    expect(diffTexts(bytes('a\n'), bytes('a\n'))).toEqual([]);
  });

  it('is not made of bytes that are no text, or of texts that have nothing in common', () => {
    expect(diffTexts(bytes('a\n'), Uint8Array.of(0, 1))).toBeNull();
    expect(diffTexts(Uint8Array.of(0xff), bytes('a\n'))).toBeNull();
    expect(diffTexts(bytes(lines(5_000)), bytes(lines(5_000, 'other')))).toBeNull();
  });
});
