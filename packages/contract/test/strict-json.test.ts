import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_NESTING, parseStrictJson } from '../src/manifest/strict-json.ts';

function parse(text: string | Uint8Array) {
  return parseStrictJson(typeof text === 'string' ? new TextEncoder().encode(text) : text);
}

describe('strict JSON', () => {
  test('reads every document as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), fc.integer({ min: 0, max: 4 }), (json, indent) => {
        // Written again from the value: the source may have one key twice.
        const text = JSON.stringify(JSON.parse(json), null, indent);
        expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  test('refuses exactly what JSON.parse refuses, apart from duplicate keys', () => {
    const fragment = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b"',
      '1',
      'null',
      ' ',
      '"',
      '\\',
      'NaN',
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 10 }), (fragments) => {
        const text = fragments.join('');
        const result = parse(text);
        if (!result.ok && result.problem.message.includes('twice')) return;
        expect(result.ok).toBe(isJson(text));
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['empty text', ''],
    ['a trailing comma in a list', '[1,]'],
    ['a trailing comma in an object', '{"a":1,}'],
    ['NaN', '[NaN]'],
    ['infinity', '[-Infinity]'],
    ['a leading zero', '[012]'],
    ['a plus sign', '[+1]'],
    ['a bare decimal point', '[.5]'],
    ['hexadecimal', '[0x1f]'],
    ['single quotes', "{'a':1}"],
    ['an unquoted key', '{a:1}'],
    ['a comment', '[1] // one'],
    ['two documents', '{}{}'],
    ['an unclosed list', '[1'],
    ['an unclosed string', '["a'],
    ['a raw newline in a string', '["a\nb"]'],
    ['an unknown escape', '["\\x41"]'],
    ['a truncated escape', '["\\u00"]'],
    ['a mismatched bracket', '[1}'],
    ['a NUL at the end', '[]\0'],
    ['a no-break space', '[\u00a0]'],
  ])('refuses %s', (_, text) => {
    expect(parse(text)).toMatchObject({
      ok: false,
      problem: { message: expect.stringContaining('not valid JSON') },
    });
  });

  test.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate in three bytes', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a code point above U+10FFFF', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ['a truncated sequence', [0x22, 0xe2, 0x82, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x5b, 0x00, 0x5d, 0x00]],
  ])('refuses %s as invalid UTF-8', (_, bytes) => {
    expect(parse(Uint8Array.from(bytes))).toMatchObject({
      ok: false,
      problem: { message: 'is not valid UTF-8' },
    });
  });

  test('refuses a byte order mark', () => {
    expect(parse('\ufeff{}')).toMatchObject({
      ok: false,
      problem: { message: expect.stringContaining('byte order') },
    });
  });

  test.each([
    ['{"a":1,"a":2}', '/a'],
    ['{"a":1,"\\u0061":2}', '/a'],
    ['{"x":[{"y":0},{"b/c":1,"d":{},"b/c":2}]}', '/x/1/b~1c'],
    ['{"":1,"":2}', '/'],
    ['{"__proto__":1,"__proto__":2}', '/__proto__'],
    ['{"a":{"b":1},"c":[{"b":1,"e":[[],[{"b":1,"b":2}]]}]}', '/c/0/e/1/0/b'],
  ])('refuses a duplicate key: %s', (text, pointer) => {
    expect(parse(text)).toMatchObject({
      ok: false,
      problem: { pointer, message: expect.stringContaining('twice') },
    });
  });

  test('accepts the same key in different objects, and as a value', () => {
    for (const text of ['[{"a":1},{"a":1}]', '{"a":{"a":{"a":"a"}}}', '{"a":"b","b":"a","c":["a","a"]}']) {
      expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) });
    }
  });

  test('limits the nesting depth, and gets through long repetitive input', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parse(nested(MAX_NESTING))).toMatchObject({ ok: true });
    expect(parse(nested(MAX_NESTING + 1))).toMatchObject({ ok: false });
    for (const unit of ['[', '{"a":', '"', '\\', '{"a":[']) {
      expect(parse(unit.repeat(500_000))).toMatchObject({ ok: false });
    }
    const keys = `{${Array.from({ length: 2_000 }, (_, at) => `"k${at}":0`).join(',')}}`;
    expect(parse(`[${new Array(100).fill(keys).join(',')}]`)).toMatchObject({ ok: true });
  });

  test('refuses more than four million objects and lists', () => {
    expect(parse(`[${'{},'.repeat(4_000_000)}0]`)).toMatchObject({
      ok: false,
      problem: { message: 'has more than 4000000 objects and lists' },
    });
  });

  test('refuses an object at its first key beyond 2,048, without reading further', () => {
    const keys = Array.from({ length: 2_049 }, (_, number) => `"${number}":0`);
    expect(parse(`{"a":[{"b":{${keys.slice(1).join(',')}}}]}`)).toMatchObject({ ok: true });
    // What comes after it is never read, or it would be refused as no JSON.
    expect(parse(`{"a":[{"b":{${keys.join(',')},!!!`)).toEqual({
      ok: false,
      problem: { kind: 'shape', pointer: '/a/0/b', message: 'has more than 2048 keys' },
    });
  });

  test('keeps escaped lone surrogates and leaves them to the rules of each field', () => {
    expect(parse('["\\ud800"]')).toEqual({ ok: true, value: ['\ud800'] });
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
