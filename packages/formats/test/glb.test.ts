import { describe, expect, test } from 'vitest';
import { glbJson } from '../src/gltf/glb.ts';
import { isGlb, splitGlb } from '../src/index.ts';

/** A GLB file with chunks of these types and contents. */
function glbOf(chunks: readonly (readonly [type: string, content: string])[], version = 2): Uint8Array {
  const parts = chunks.map(([type, content]) => {
    const header = Buffer.alloc(8);
    header.writeUInt32LE(content.length, 0);
    header.write(type, 4, 'latin1');
    return Buffer.concat([header, Buffer.from(content.padEnd(Math.ceil(content.length / 4) * 4))]);
  });
  const header = Buffer.alloc(12);
  header.write('glTF');
  header.writeUInt32LE(version, 4);
  header.writeUInt32LE(12 + parts.reduce((sum, { length }) => sum + length, 0), 8);
  return Buffer.concat([header, ...parts]);
}

describe('a GLB file', () => {
  const whole = glbOf([
    ['JSON', '{"asset":{}}'],
    ['XTRA', 'of an extension'],
    ['BIN\0', 'abcd'],
  ]);

  test('is split into its JSON and its buffer, also with chunks of others between them', () => {
    const { json, binary } = splitGlb(whole);
    expect(Buffer.from(json).toString()).toBe('{"asset":{}}');
    expect(Buffer.from(binary ?? []).toString()).toBe('abcd');
  });

  test('tells from its head where the JSON is', () => {
    expect(glbJson(whole.subarray(0, 20))).toEqual({ start: 20, length: 12 });
  });

  test('is refused wherever it is cut off', () => {
    for (let length = 12; length < whole.length; length++)
      expect(() => splitGlb(whole.subarray(0, length))).toThrow('is cut off');
  });

  test('without JSON is refused', () => {
    expect(() => splitGlb(glbOf([['BIN\0', 'abcd']]))).toThrow('has no JSON chunk');
    expect(() => glbJson(glbOf([['BIN\0', 'abcd']]))).toThrow('does not begin with a JSON chunk');
  });

  test('is told by its first bytes, whatever its name', () => {
    expect([isGlb(whole), isGlb(Buffer.from('{"asset":{}}'))]).toEqual([true, false]);
  });
});
