import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { artifactPathProblem, pathProblem, uploadPathProblem, userPathProblem } from '../src/index.ts';

const SMILE = '\u{1f600}';

describe('canonical paths', () => {
  test.each([
    'arm.xml',
    'arm/link 1.stl',
    'a/b/c/d',
    '...',
    '.hidden/..file',
    '-rf',
    'con',
    'a:b',
    'naïve/日本語.glb',
    `${SMILE}/${SMILE}`,
    'a'.repeat(255),
    `${'é'.repeat(127)}/x`,
    Array.from({ length: 512 }, () => 'a').join('/'),
  ])('include %j', (path) => {
    expect(userPathProblem(path)).toBeNull();
  });

  test.each([
    ['', 'is empty'],
    ['/etc/passwd', 'not relative'],
    ['a//b', 'empty'],
    ['a/', 'empty'],
    ['.', '"."'],
    ['./a', '"."'],
    ['a/../b', '".."'],
    ['..', '".."'],
    ['a\\b', 'backslash'],
    ['\\\\server\\share', 'backslash'],
    ['a\0b', 'control character'],
    ['a\nb', 'control character'],
    ['a\u007f', 'control character'],
    ['a\u0085', 'control character'],
    ['a\ud800', 'lone surrogate'],
    ['\udc00/b', 'lone surrogate'],
    ['a'.repeat(256), 'longer than 255 bytes'],
    ['é'.repeat(128), 'longer than 255 bytes'],
    [SMILE.repeat(64), 'longer than 255 bytes'],
    [`${'a/'.repeat(512)}a`, 'longer than 1024 bytes'],
  ])('exclude %j', (path, reason) => {
    expect(pathProblem(path)).toContain(reason);
  });

  test('reserve .bindery in any letter case, and allow artifacts in it only in lower case', () => {
    for (const path of ['.bindery/a', '.Bindery/a', '.BINDERY/manifest.json', '.bindery']) {
      expect(userPathProblem(path)).toContain('reserved');
    }
    expect(userPathProblem('.binderyx/a')).toBeNull();
    expect(userPathProblem('a/.bindery/b')).toBeNull();
    expect(artifactPathProblem('.bindery/vectors.json')).toBeNull();
    expect(artifactPathProblem('.Bindery/vectors.json')).toContain('is not inside');
    expect(artifactPathProblem('vectors.json')).toContain('is not inside');
    expect(artifactPathProblem('.bindery/manifest.json')).toContain('manifest itself');
    expect(artifactPathProblem('.bindery/../a')).toContain('".."');
    expect(uploadPathProblem('.bindery/manifest.json')).toBeNull();
    expect(uploadPathProblem('.bindery/thumb.webp')).toBeNull();
    expect(uploadPathProblem('.Bindery/thumb.webp')).toContain('reserved');
  });

  test('are exactly those with valid characters, length and segments', () => {
    const segment = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom('', '.', '..', '...', 'a', '.bindery', 'é'.repeat(130), 'x'.repeat(255)),
    );
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 8 }), (segments) => {
        const path = segments.join('/');
        const canonical =
          path.isWellFormed() &&
          !/[\\\p{Cc}]/u.test(path) &&
          Buffer.byteLength(path) <= 1_024 &&
          path
            .split('/')
            .every((name) => name !== '' && name !== '.' && name !== '..' && Buffer.byteLength(name) <= 255);
        expect(pathProblem(path) === null).toBe(canonical);
      }),
    );
  });
});
