import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, test } from 'vitest';
import { compileGlob, globProblem } from '../../src/globs/glob.ts';

const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '.', '-'), minLength: 1, maxLength: 5 });
const path = fc
  .array(
    name.filter((text) => !text.startsWith('.')),
    { minLength: 1, maxLength: 4 },
  )
  .map((names) => names.join('/'));

const part = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'c', '-') },
  { weight: 2, arbitrary: fc.constantFrom('*', '?') },
  { weight: 1, arbitrary: fc.constantFrom('[ab]', '[a-c]', '[^a]', '[^bc]', '{a,b}', '{a,bc*}', '.a') },
);
const segment = fc.oneof(
  { weight: 4, arbitrary: fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.constant('**') },
);
const glob = fc
  .array(segment, { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join('/'))
  .filter((text) => !isUnusual(text));

/**
 * Where picomatch has ways of its own: two stars in a row within a name or a path, names that begin with a dot (which are
 * never published), and whether `**` at the end after other wildcards may stand for nothing.
 */
function isUnusual(text: string): boolean {
  return /[^/]\*\*|\*\*[^/]|(^|\/)\.|\*\*\/\*\*|[*?[{][^/]*\/\*\*$/.test(text);
}

describe('a glob', () => {
  test('matches the same paths as picomatch', () => {
    fc.assert(
      fc.property(glob, path, (pattern, file) => {
        expect(compileGlob(pattern)(file), `${pattern} and ${file}`).toBe(picomatch(pattern)(file));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['**/*.blend1', 'arm/old/arm.blend1', true],
    ['**/*.blend1', 'arm.blend1', true],
    ['arms/*', 'arms/left/arm.xml', false],
    ['arms/**', 'arms/left/arm.xml', true],
    ['arms/**', 'arms', true],
    ['arms/**/mesh.obj', 'arms/mesh.obj', true],
    ['{arms,hands}/{left,right}*/*.{obj,stl}', 'hands/left-2/a.stl', true],
    ['{arms/left,hands}/a.stl', 'arms/left/a.stl', true],
    ['{arm}', '{arm}', true],
    ['part [0-9]?.obj', 'part 12.obj', true],
    ['part [0-9]?.obj', 'part x2.obj', false],
    ['[]a].txt', '].txt', true],
    ['[arm', '[arm', true],
    [String.raw`arm\*.txt`, 'arm*.txt', true],
    [String.raw`arm\*.txt`, 'armor.txt', false],
    [String.raw`arm\(1).txt`, 'arm(1).txt', true],
    ['Änderung-?.glb', 'Änderung-😀.glb', true],
    ['*', '__proto__', true],
  ])('matches %s against %s: %s', (pattern, file, expected) => {
    expect(compileGlob(pattern)(file)).toBe(expected);
  });

  test.each([
    ['!arm/**', 'begins with "!"'],
    ['arm/!(old)/*', 'not supported'],
    ['a'.repeat(1_025), 'longer than 1024 bytes'],
    ['{a,b}'.repeat(12), 'more than 1000 patterns'],
  ])('%s is refused with the reason', (pattern, reason) => {
    expect(globProblem(pattern)).toContain(reason);
  });

  test('with many wildcards does not backtrack exponentially on a near match', () => {
    const hostile = [
      `${'*a'.repeat(60)}*b`,
      `${'**/'.repeat(60)}x`,
      `${'*a*/**/'.repeat(30)}b`,
      `{${'*a'.repeat(20)},${'a*'.repeat(20)}}`.repeat(5),
      `${'[a-c]*'.repeat(60)}d`,
    ];
    const path = `${'a'.repeat(250)}/`.repeat(4).slice(0, -1);
    for (const pattern of hostile) expect(compileGlob(pattern)(path)).toBe(false);
  });
});
