import type { Reference } from '../files/resolve.ts';
import { decodeText } from '../files/text.ts';
import type { BoundedFile, Survey } from '../survey.ts';
import { materialLibraries, textureOf } from './materials.ts';

/** Material files are named before the first faces that use them, in practice before the first vertex. */
const HEAD = 64 * 1024;
const STATEMENT = /^(?:v|vn|vt|f|o|g|usemtl|mtllib)[ \t]/m;

/** Reads Wavefront OBJ; `mtllib` names a material file. */
export function surveyObj(file: BoundedFile): Survey {
  const head = file.head(HEAD);
  const bytes = new TextDecoder('latin1').decode(head);
  const isUtf16 = bytes.slice(0, 4).includes('\0');
  const text = isUtf16 ? decodeText(head) : bytes;
  const references: Reference[] = [];
  for (const { words, line } of statementsOf(text, 'mtllib')) {
    const named = words.slice(1).join(' ');
    for (const text of materialLibraries(isUtf16 ? named : utf8(named)))
      references.push({ text, role: 'data', line });
  }
  return { type: 'obj', certain: STATEMENT.test(text), references };
}

const MAX_MTL_BYTES = 4 * 1024 * 1024;
/** Reads the materials of an OBJ file; `map_…` and similar statements name textures. */
export function surveyMtl(file: BoundedFile): Survey {
  const text = new TextDecoder('latin1').decode(file.whole(MAX_MTL_BYTES));
  const references: Reference[] = [];
  for (const { words, line } of statements(text)) {
    if (!/^(?:map_\w+|bump|disp|decal|refl|norm)$/i.test(words[0] ?? '')) continue;
    const name = textureOf(words.slice(1).join(' '));
    if (name !== '') references.push({ text: utf8(name), role: 'texture', line });
  }
  return { type: 'mtl', certain: true, references };
}

function* statements(text: string): Generator<{ words: string[]; line: number }> {
  let line = 0;
  for (const row of text.split('\n')) {
    line++;
    const trimmed = row.trim();
    if (/^[a-z]/i.test(trimmed) && !/^(?:v|vn|vt|vp|f|l|p)\s/.test(trimmed)) {
      yield { words: trimmed.split(/\s+/), line };
    }
  }
}

/** Finds the statements with this keyword without splitting the many lines of a mesh that have others. */
function* statementsOf(text: string, keyword: string): Generator<{ words: string[]; line: number }> {
  let line = 1;
  let next = 0;
  for (let at = text.indexOf(keyword); at >= 0; at = text.indexOf(keyword, next)) {
    const start = text.lastIndexOf('\n', at) + 1;
    for (let end = text.indexOf('\n', next); end >= 0 && end < start; end = text.indexOf('\n', end + 1))
      line++;
    const end = text.indexOf('\n', at);
    next = end < 0 ? text.length : end + 1;
    const words = text.slice(start, next).trim().split(/\s+/);
    if (words[0] === keyword) yield { words, line };
    line++;
  }
}

/** Decodes a name as UTF-8. The text was read byte by byte, so that invalid UTF-8 affects only the name it is in. */
function utf8(latin1: string): string {
  const bytes = Uint8Array.from(latin1, (character) => character.charCodeAt(0));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return latin1;
  }
}
