import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { previewOf } from '../../src/discovery/discovered-library.ts';
import { draftCuration } from '../../src/discovery/draft-curation.ts';
import { discoverLibrary } from '../../src/local-discovery/discover-library.ts';
import { folderWith } from '../folder.ts';
import { glb, model } from './models.ts';

const FILES = {
  'arm/arm.xml': model('<worldbody><body/></worldbody>'),
  'arm/README.md': '# The "arm": #1\n\nAn arm with: joints, and more.',
  'city/tree.glb': glb('colors.png'),
  'city/rock.glb': glb('colors.png'),
  'city/colors.png': 'x',
  'city/notes.txt': 'x',
};

test('a drafted bindery.yml gives the same assets, and notes where values came from', () => {
  const folder = folderWith(FILES);
  const before = discoverLibrary(folder);
  const text = draftCuration(before, 'things');
  expect(text).toContain('# mjcf, opens arm/arm.xml, 2 files');
  expect(text).toMatch(/title: .*The "arm": #1.* # README\.md/);
  expect(text).toContain('#   city/notes.txt');
  writeFileSync(join(folder, 'bindery.yml'), text);
  const after = discoverLibrary(folder);
  expect(after.assets).toEqual(before.assets);
  expect(after.library).toEqual({ title: 'things' });
  expect(after.origins.get('arm')).toEqual({ title: 'bindery.yml', description: 'bindery.yml' });
});

test('a preview lists the metadata of each asset and where it came from', () => {
  const assets = previewOf(discoverLibrary(folderWith(FILES)));
  expect(assets).toMatchObject([
    {
      id: 'arm',
      title: 'The "arm": #1',
      kind: 'mjcf',
      entry: 'arm/arm.xml',
      files: 2,
      license: null,
      from: { title: 'README.md', description: 'README.md' },
    },
    { id: 'city-rock.glb', title: 'Rock', kind: 'mesh', files: 2, tags: ['city'], from: { title: 'name' } },
    { id: 'city-tree.glb' },
  ]);
});
