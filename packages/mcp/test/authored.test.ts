import { expect, test } from 'vitest';
import { escapeHiddenText } from '../src/authored.ts';

test.each([
  ['a Hangul filler', 'a\u3164b', 'a\\u{3164}b'],
  ['a halfwidth Hangul filler', 'a\uffa0b', 'a\\u{ffa0}b'],
  ['a Hangul choseong filler', 'a\u115fb', 'a\\u{115f}b'],
  ['a variation selector after a letter', 'a\ufe0fb', 'a\\u{fe0f}b'],
  ['a second variation selector after an emoji', '\u2764\ufe0f\ufe0f', '\u2764\ufe0f\\u{fe0f}'],
  ['a variation selector of text hidden in an emoji', '\u2764\ufe00', '\u2764\\u{fe00}'],
  ['a supplementary variation selector', '\u2764\u{e0141}', '\u2764\\u{e0141}'],
  ['a soft hyphen', 'a\u00adb', 'a\\u{ad}b'],
  ['a tag character', 'a\u{e0041}', 'a\\u{e0041}'],
])('%s is written out', (_what, text, written) => {
  expect(escapeHiddenText(text)).toBe(written);
});

test('text that is seen stays as it is, emoji included', () => {
  const seen =
    'Caf\u00e9 \u2764\ufe0f \u{1f469}\u200d\u{1f527} 1\ufe0f\u20e3 \u0915\u094d\u200d\u0937 \ud55c\uad6d\uc5b4\n';
  expect(escapeHiddenText(seen)).toBe(seen);
});
