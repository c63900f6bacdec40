import { PassThrough } from 'node:stream';
import type { ThumbnailReport } from '@bindery/sdk/libraries';
import { expect, test } from 'vitest';
import { reportThumbnails } from '../src/commands/library/thumbnails.ts';
import { Output } from '../src/output/output.ts';

function noted(report: Partial<ThumbnailReport>): string {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const output = new Output({ stdout, stderr }, { json: false, quiet: false, color: false });
  const none = {
    authored: 0,
    resized: 0,
    rendered: 0,
    cached: 0,
    warnings: [],
    incomplete: [],
    unmeasured: [],
  };
  reportThumbnails({ ...none, ...report }, false, output);
  expect(stdout.read()).toBeNull();
  return String(stderr.read());
}

test('complete thumbnails are counted by origin: drawn, reused, by the authors', () => {
  expect(noted({ rendered: 3, authored: 1 })).toBe('Thumbnails: 3 drawn, 0 reused, 1 by the authors.\n');
});

test('thumbnails by the authors that were resized are counted as theirs, not as drawn', () => {
  expect(noted({ rendered: 1, authored: 1, resized: 2 })).toBe(
    'Thumbnails: 1 drawn, 0 reused, 3 by the authors (2 reduced).\n',
  );
});

test('thumbnails drawn without some meshes or textures count as incomplete, and the files are named', () => {
  const lost = (name: string) => ({ name, reason: 'no such file' });
  const meshes = { total: 31, missing: 5, named: ['a.stl', 'b.stl', 'c.stl', 'd.stl', 'e.stl'].map(lost) };
  const textures = { total: 1, missing: 1, named: [{ name: 'skin.ktx2', reason: 'KTX2 is not decoded' }] };
  expect(noted({ rendered: 2, incomplete: [{ asset: 'pr2', omissions: { meshes, textures } }] })).toBe(
    `Thumbnails: 2 drawn, 0 reused, 0 by the authors, 1 incomplete.
Warning: thumbnail of pr2: drawn without 5 of 31 meshes (a.stl: no such file; b.stl: no such file; c.stl: no such file; d.stl: no such file; …) and 1 of 1 texture (skin.ktx2: KTX2 is not decoded)
`,
  );
});
