import { decodeHTML, decodeHTMLStrict } from 'entities';

/** Decodes a C1 control character (0x80 to 0x9F) as the Windows-1252 character that was most likely meant. */
export function fromWindows1252(control: string): string {
  return decodeHTML(`&#${control.charCodeAt(0)};`);
}

/** Decodes every HTML 5 character reference once, as Python's `html.unescape`: also those without a semicolon. */
export function unescapeReferences(text: string): string {
  return text.replace(/&(?:#(?:\d+|[xX][0-9a-fA-F]+);?|[A-Za-z][A-Za-z0-9]{1,31};?)/g, unescapeReference);
}

function unescapeReference(reference: string): string {
  return isNoCharacter(codeOf(reference)) ? '' : decodeHTML(reference);
}

/** Decodes unambiguous references, as ftfy's `unescape_html`: those with a semicolon, also in all capitals. */
export function unescapeClosedReferences(text: string): string {
  return text.replace(/&#?[0-9A-Za-z]{1,24};/g, (reference) => {
    if (!reference.startsWith('&#')) return namedCharacter(reference) ?? reference;
    const character = unescapeReferences(reference);
    return character.includes(';') ? reference : character;
  });
}

/** `&EACUTE;` is a capital É, since no reference starts like that. */
function namedCharacter(reference: string): string | undefined {
  const known = decodedStrictly(reference);
  if (known !== undefined || reference !== reference.toUpperCase()) return known;
  return decodeHTML(reference) === reference
    ? decodedStrictly(reference.toLowerCase())?.toUpperCase()
    : undefined;
}

function decodedStrictly(reference: string): string | undefined {
  const character = decodeHTMLStrict(reference);
  return character === reference ? undefined : character;
}

/** The number in a reference, NaN if it is a name. */
function codeOf(reference: string): number {
  const [, decimal, hex] = /^&#(?:(\d+)|[xX]([0-9a-fA-F]+))/.exec(reference) ?? [];
  return hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
}

/** Whether a code point is a Unicode noncharacter, or an ASCII control character other than white space. */
function isNoCharacter(code: number): boolean {
  const isControl = (code > 0 && code < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d].includes(code)) || code === 0x7f;
  const isReserved = (code >= 0xfdd0 && code <= 0xfdef) || (code <= 0x10ffff && (code & 0xfffe) === 0xfffe);
  return isControl || isReserved;
}
