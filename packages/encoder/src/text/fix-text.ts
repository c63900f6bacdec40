import { fromWindows1252, unescapeClosedReferences } from './character-references.ts';

/** Maximum rounds until nothing changes; references may be escaped several times over. */
const MAX_ROUNDS = 16;

// biome-ignore lint/suspicious/noControlCharactersInRegex: this is how they begin
const TERMINAL_ESCAPES = /\u001b\[[\d;]*[a-zA-Z]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const CONTROL = /[\u0000-\u0008\u000b\u000e-\u001f\u007f\u206a-\u206f\ufeff\ufff9-\ufffc]/g;

/**
 * Fixes the glitches that ftfy (6.3, `fix_text` with its defaults) fixes in every text: character references, C1
 * control characters, Latin ligatures, fullwidth and halfwidth forms, curly quotes, lone surrogates, terminal escapes,
 * control characters, and characters that are not composed (NFC). It does not repair wrongly decoded text
 * (`fix_encoding`), and leaves line breaks to callers, which collapse whitespace.
 */
export function fixText(text: string): string {
  let isPlain = true;
  const lines = text.toWellFormed().split(/(?<=\n)/);
  return lines
    .map((line) => {
      // After a tag the text may be HTML whose references are intended; like ftfy, keep them from there on.
      isPlain &&= !line.includes('<');
      return fixLine(line, isPlain);
    })
    .join('');
}

function fixLine(line: string, isPlain: boolean): string {
  let fixed = line;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = fixed;
    if (isPlain) fixed = unescapeClosedReferences(fixed);
    fixed = fixed
      .replace(/[\u0080-\u009f]/g, fromWindows1252)
      .replace(/[\u0132\u0133\u0149\u01c4-\u01cc\u01f1-\u01f3\ufb00-\ufb06]/g, withoutLigature)
      .replace(/[\uff01-\uffef]/g, compatible)
      .replaceAll('\u3000', ' ')
      .replace(/[\u201c-\u201f]/g, '"')
      .replace(/[\u02bc\u2018-\u201b]/g, "'")
      .replace(TERMINAL_ESCAPES, '')
      .replace(CONTROL, '')
      .normalize('NFC');
    if (fixed === before) break;
  }
  return fixed;
}

/** The ligature of long s and t keeps its long s, as in ftfy. */
function withoutLigature(character: string): string {
  return character === '\ufb05' ? '\u017ft' : compatible(character);
}

function compatible(character: string): string {
  return character.normalize('NFKC');
}
