import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Manifest, routes } from '@bindery/contract';
import { describe, expect, test } from 'vitest';
import { editMetadata, type Metadata } from '../../src/edit/edit-metadata.ts';
import { libraryParams } from '../../src/index.ts';
import { pullLibrary } from '../../src/pull/pull.ts';
import { folderWith, temporaryFolder } from '../folder.ts';
import { ADDRESS, type Publisher, publishers } from '../push/publisher.ts';

const NOTHING: Metadata = { title: null, description: null, license: null, tags: [] };
const FILES = { 'arm/arm.glb': 'arm', 'hand/hand.glb': 'hand' };

async function manifestOf({ client }: Publisher): Promise<Manifest> {
  const { bytes } = await client.raw(routes.libraries.getManifest, { params: libraryParams(ADDRESS) });
  return JSON.parse(new TextDecoder().decode(bytes));
}

describe('editing metadata', () => {
  test('changes the asset, keeps comments in bindery.yml, and is unchanged by a pull and push', async () => {
    const [ann, bob] = (await publishers(2)) as [Publisher, Publisher];
    await ann.push(folderWith({ ...FILES, 'bindery.yml': '# kept\nassets:\n  hand: { title: Hand }\n' }));
    const after = { title: 'The arm', description: 'It reaches.', license: 'MIT', tags: ['robot', 'arm'] };
    const { library } = await editMetadata(ann.client, ADDRESS, { asset: 'arm', before: NOTHING, after }, {});
    expect(library.revision).toBe(2);
    expect((await manifestOf(ann)).assets[0]).toMatchObject({ id: 'arm', ...after });

    const folder = temporaryFolder();
    await pullLibrary(bob.client, ADDRESS, folder, bob.options);
    expect(readFileSync(join(folder, 'bindery.yml'), 'utf8')).toContain('# kept');
    expect(await bob.push(folder)).toMatchObject({ status: 'unchanged', revision: 2 });
  });

  test('of a library without bindery.yml creates one, and removes a field that is emptied', async () => {
    const [ann] = (await publishers(1)) as [Publisher];
    await ann.push(folderWith(FILES));
    const after = { ...NOTHING, title: 'Parts', tags: ['a'] };
    await editMetadata(ann.client, ADDRESS, { asset: null, before: NOTHING, after }, {});
    expect((await manifestOf(ann)).library).toEqual({ title: 'Parts', tags: ['a'] });
    const folder = temporaryFolder();
    await pullLibrary(ann.client, ADDRESS, folder, ann.options);
    expect(await ann.push(folder)).toMatchObject({ status: 'unchanged' });

    await editMetadata(
      ann.client,
      ADDRESS,
      { asset: null, before: after, after: { ...after, title: '' } },
      {},
    );
    expect((await manifestOf(ann)).library).toEqual({ tags: ['a'] });
  });

  test('stops at a field that others changed meanwhile, and keeps their changes to other fields', async () => {
    const [ann, bob] = (await publishers(2)) as [Publisher, Publisher];
    await ann.push(folderWith(FILES));
    const edit = ({ client }: Publisher, after: Partial<Metadata>) =>
      editMetadata(client, ADDRESS, { asset: 'arm', before: NOTHING, after: { ...NOTHING, ...after } }, {});
    await edit(bob, { title: 'Bob’s' });
    await expect(edit(ann, { title: 'Ann’s' })).rejects.toMatchObject({
      name: 'ConflictError',
      items: ['title'],
    });
    await edit(ann, { license: 'MIT' });
    expect((await manifestOf(ann)).assets[0]).toMatchObject({ title: 'Bob’s', license: 'MIT' });
  });

  test('of a missing asset is refused, as is a value that a manifest does not allow', async () => {
    const [ann] = (await publishers(1)) as [Publisher];
    await ann.push(folderWith(FILES));
    const edit = (asset: string, title: string) =>
      editMetadata(ann.client, ADDRESS, { asset, before: NOTHING, after: { ...NOTHING, title } }, {});
    await expect(edit('leg', 'x')).rejects.toMatchObject({ name: 'AssetNotFoundError' });
    await expect(edit('arm', 'x'.repeat(201))).rejects.toMatchObject({ name: 'TreeError' });
    expect((await manifestOf(ann)).assets[0]).not.toHaveProperty('title', 'x');
  });
});
