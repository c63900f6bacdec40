import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { readNamed } from '../../src/tree/files.ts';

test('an error about a folder in the place of a file names it', () => {
  expect(() => readNamed(tmpdir())).toThrow(expect.objectContaining({ code: 'EISDIR', path: tmpdir() }));
});
