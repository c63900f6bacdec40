import { describe, expect, test } from 'vitest';
import { parseXml } from '../src/files/xml.ts';
import { decodeText, UnreadableFileError, xmlRoot } from '../src/index.ts';

function utf16(text: string, order: 'le' | 'be', mark: boolean): Uint8Array {
  const bytes = Buffer.from(mark ? `\uFEFF${text}` : text, 'utf16le');
  return new Uint8Array(order === 'be' ? bytes.swap16() : bytes);
}

const NAMED = '<robot name="bürste"/>';
const declared = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>\n${NAMED}`;

describe('a document is read in the encoding that it is written in', () => {
  test.each<[string, Uint8Array]>([
    ['UTF-8', Buffer.from(NAMED)],
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${declared('UTF-8')}`)],
    ['UTF-16 with a byte order mark', utf16(declared('utf-16'), 'le', true)],
    ['UTF-16, the other way round', utf16(declared('UTF-16'), 'be', true)],
    ['UTF-16 without a mark', utf16(declared('UTF-16'), 'le', false)],
    ['UTF-16 without a mark, the other way round', utf16(NAMED, 'be', false)],
    ['ISO-8859-1', Buffer.from(declared('ISO-8859-1'), 'latin1')],
    ['windows-1252', Buffer.from(declared('windows-1252'), 'latin1')],
    ['ISO-8859-1 that declares nothing', Buffer.from(NAMED, 'latin1')],
    ['ISO-8859-1 that declares UTF-8', Buffer.from(declared('UTF-8'), 'latin1')],
    ['UTF-8 that declares UTF-16', Buffer.from(declared('UTF-16'))],
  ])('%s', (_encoding, bytes) => {
    expect(parseXml(bytes).attributes.name).toBe('bürste');
    expect(xmlRoot(bytes)).toBe('robot');
  });

  test('GB 2312', () => {
    const bytes = Buffer.concat([
      Buffer.from('<?xml version="1.0" encoding="GB2312"?><robot name="'),
      Buffer.from([0xbb, 0xfa]),
      Buffer.from('"/>'),
    ]);
    expect(parseXml(bytes).attributes.name).toBe('机');
  });

  test('or is refused by the name of an encoding that nobody knows', () => {
    expect(() => parseXml(Buffer.from(declared('klingon')))).toThrow(
      new UnreadableFileError('written in an unknown encoding: klingon'),
    );
  });

  test('as other texts are', () => {
    expect(decodeText(Buffer.from('Kässel', 'latin1'))).toBe('Kässel');
    expect(decodeText(utf16('Kässel', 'le', true))).toBe('Kässel');
  });
});

describe('what parsers in the field accept is read', () => {
  test.each([
    ['CDATA', '<r><![CDATA[ a.stl ]]></r>', 'a.stl'],
    ['CDATA with markup in it', '<r><![CDATA[<!-- & -->]]></r>', '<!-- & -->'],
    [
      'comments before the declaration',
      '<!-- a -->\n<!-- b -->\n<?xml version="1.0"?>\n<r>a.stl</r>',
      'a.stl',
    ],
    ['blank lines before the declaration', '\n\n <?xml version="1.0"?><r>a.stl</r>', 'a.stl'],
    ['two dashes within a comment', '<r><!-- a -- b -->a.stl</r>', 'a.stl'],
    ['a bare ampersand', '<r>a & b&amp;c.stl</r>', 'a & b&c.stl'],
    ['text around a comment', '<r>a<!-- -->b</r>', 'a b'],
  ])('%s', (_what, xml, text) => {
    expect(parseXml(Buffer.from(xml)).text).toBe(text);
  });
});

describe('anything else is refused with its line', () => {
  test.each([
    ['an element that ends another', '<!-- a\nb -->\n<r>\n</s>', /not well-formed XML: line 4:/],
    ['an element that does not end', '<r>\n<s>', /not well-formed XML: line 2:/],
    ['an entity that nothing defines', '<r>&nbsp;</r>', /not well-formed XML: line 1:.*entity/],
    ['no element', '<!-- a -->', /empty|not well-formed/],
    ['a document type', '<!DOCTYPE r [<!ENTITY a "aaaa">]>\n<r>&a;</r>', /DOCTYPE/],
    ['a document type of another file', '<!DOCTYPE r SYSTEM "file:///etc/passwd">\n<r/>', /DOCTYPE/],
    ['elements 600 deep', '<r>'.repeat(600), /nested deeper/],
  ])('%s', (_what, xml, message) => {
    expect(() => parseXml(Buffer.from(xml))).toThrow(message);
  });
});
