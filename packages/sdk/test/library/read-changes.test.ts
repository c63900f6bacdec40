import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diffManifests } from '../../src/diff/index.ts';
import { ApiError } from '../../src/index.ts';
import { readVersions } from '../../src/library/read-versions.ts';
import { statLibrary } from '../../src/stat/stat.ts';
import { folderWith, writeFiles } from '../folder.ts';
import { ADDRESS, type Publisher, publishers } from '../push/publisher.ts';

const FIRST = {
  'bindery.yml': 'library: {title: Arms}\nassets: {a: {title: The first}}\n',
  'a/1.obj': 'one',
  'a/2.obj': 'two',
  'b/1.obj': 'one',
  'c/1.obj': 'one',
};

/** Changes everything that a comparison can tell; `b` stays. */
function change(folder: string): void {
  rmSync(join(folder, 'a/2.obj'));
  rmSync(join(folder, 'c'), { recursive: true });
  mkdirSync(join(folder, 'd'));
  writeFiles(folder, {
    'bindery.yml': 'library: {title: Better arms}\nassets: {a: {title: The second}}\n',
    'a/1.obj': 'one, finer',
    'd/1.obj': 'four',
  });
}

/** Makes the service one that cannot compare. */
function makeOlder(publisher: Publisher): void {
  publisher.watch = ({ url }) => {
    if (!new URL(url).pathname.endsWith('/changes')) return;
    throw new ApiError({
      status: 404,
      code: 'not_found',
      message: 'There is nothing here.',
      requestId: null,
    });
  };
}

test('what a comparison reads of two revisions differs as their whole manifests do', async () => {
  const [ann] = (await publishers(1)) as [Publisher];
  const folder = folderWith(FIRST);
  await ann.push(folder);
  change(folder);
  await ann.push(folder);
  const compare = async () => {
    ann.requests.length = 0;
    const [earlier, later] = [{ ...ADDRESS, revision: 1 }, ADDRESS];
    const { from, to, shared } = await readVersions(ann.client, earlier, later, ann.options);
    const ids = [from, to].map(({ manifest }) => manifest.assets.map(({ id }) => id).sort());
    return { diff: diffManifests(from.manifest, to.manifest, shared), ids, requests: [...ann.requests] };
  };
  const part = await compare();
  expect(part.requests).toEqual(['GET changes']);
  expect(part.ids).toEqual([
    ['a', 'c'],
    ['a', 'd'],
  ]);
  expect(part.diff.library).toEqual([{ fact: 'title', before: 'Arms', after: 'Better arms' }]);
  makeOlder(ann);
  const whole = await compare();
  expect(whole.ids[0]).toEqual(['a', 'b', 'c']);
  expect(part.diff).toEqual(whole.diff);
});

test('stat after a change by somebody else reads the changes, and reports what it does of the whole manifest', async () => {
  const [ann, bob] = (await publishers(2)) as [Publisher, Publisher];
  const [hers, his] = [folderWith(FIRST), folderWith(FIRST)];
  await ann.push(hers);
  const stat = () => statLibrary(bob.client, ADDRESS, his, bob.options);
  expect(await stat()).toMatchObject({ status: 'up-to-date' });
  change(hers);
  await ann.push(hers);
  bob.requests.length = 0;
  const found = await stat();
  expect(bob.requests).toEqual(['GET robots', 'GET changes']);
  expect(found).toMatchObject({
    missing: ['d/1.obj'],
    different: expect.arrayContaining(['bindery.yml', 'a/1.obj']),
  });
  makeOlder(bob);
  expect(await stat()).toEqual(found);
});
