import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { describe, expect, test } from 'vitest';
import { publish, type WrittenLibrary } from '../../../server/test/libraries/publish.ts';
import { editMetadata } from '../../src/edit/edit-metadata.ts';
import { libraryParams } from '../../src/index.ts';
import { pullLibrary } from '../../src/pull/pull.ts';
import { findRemovedMetadata } from '../../src/push/plan.ts';
import { folderWith, temporaryFolder, writeFiles } from '../folder.ts';
import { ADDRESS, type Publisher, publishersAt, serviceForOneTest } from './publisher.ts';

const LIBRARY = { title: 'Kitchen', license: 'MIT', provider: 'Acme' };
const MUG = {
  title: 'A mug',
  description: 'Holds coffee.',
  category: 'mugs',
  tags: ['blue'],
  license: 'CC-BY-4.0',
  attribution: 'Acme potters',
  upstream: { id: 'mug', url: 'https://example.com/mug' },
  meta: { mass: 0.3 },
};
const WRITTEN: WrittenLibrary = {
  library: LIBRARY,
  assets: [
    { id: 'mug', ...MUG, files: { 'mug/mug.obj': 'v 0 0 0\n', 'mug/about.txt': 'ours' } },
    { id: 'pot', license: 'MIT', files: { 'pot/pot.obj': 'v 1 1 1\n' } },
  ],
};
const agree = { confirmRemovals: async () => {} };

/** A library that a client without `bindery.yml` has registered, and a folder into which ann pulled it. */
async function pulledFromElsewhere(written = WRITTEN) {
  const service = await serviceForOneTest();
  const [ann] = (await publishersAt(service, 1)) as [Publisher];
  const writer = await service.member('ann');
  await publish(writer, 'ann/robots', written);
  const folder = temporaryFolder();
  await pullLibrary(ann.client, ADDRESS, folder, ann.options);
  return { ann, folder, register: (other: WrittenLibrary) => publish(writer, 'ann/robots', other) };
}

async function manifestOf({ client }: Publisher): Promise<Manifest> {
  const { bytes } = await client.raw(routes.libraries.getManifest, { params: libraryParams(ADDRESS) });
  return JSON.parse(bytes.toString('utf8'));
}

const mugOf = ({ assets }: Manifest) => assets.find(({ id }) => id === 'mug');

describe('metadata that a client wrote without bindery.yml', () => {
  test('stays when somebody pulls, edits a mesh and pushes, and the plan shows it', async () => {
    const { ann, folder } = await pulledFromElsewhere();
    writeFiles(folder, { 'mug/mug.obj': 'v 0 0 1\n' });
    expect(await ann.push(folder, { dryRun: true })).toMatchObject({
      assets: { changed: expect.arrayContaining(['mug']) },
      removedMetadata: [],
      preview: [
        { id: 'mug', title: 'A mug', license: 'CC-BY-4.0', from: { title: 'the library' } },
        { id: 'pot' },
      ],
    });
    await ann.push(folder);
    const manifest = await manifestOf(ann);
    expect(mugOf(manifest)).toMatchObject(MUG);
    expect(manifest.library).toEqual(LIBRARY);
  });

  test('stays beside a bindery.yml that states something else, in this push and the next', async () => {
    const { ann, folder } = await pulledFromElsewhere();
    writeFiles(folder, {
      'bindery.yml': 'library: { title: Our kitchen }\nassets: { mug: { title: Her mug } }\n',
    });
    await ann.push(folder);
    writeFiles(folder, { 'mug/mug.obj': 'v 0 0 1\n' });
    await ann.push(folder);
    const manifest = await manifestOf(ann);
    expect(mugOf(manifest)).toMatchObject({ ...MUG, title: 'Her mug' });
    expect(manifest.library).toEqual({ ...LIBRARY, title: 'Our kitchen' });
    writeFiles(folder, { 'bindery.yml': 'assets: { mug: { tags: [big] } }\n' });
    expect(await ann.push(folder, { dryRun: true })).toMatchObject({
      removedMetadata: [
        { asset: null, keys: ['title'] },
        { asset: 'mug', keys: ['title'] },
      ],
    });
    await ann.push(folder, agree);
    expect(mugOf(await manifestOf(ann))).toEqual(expect.not.objectContaining({ title: expect.anything() }));
  });

  test('stays when the title was edited in the dashboard, which writes a bindery.yml with the title alone', async () => {
    const { ann, folder } = await pulledFromElsewhere();
    const said = { title: 'A mug', description: MUG.description, license: MUG.license, tags: MUG.tags };
    const edit = { asset: 'mug', before: said, after: { ...said, title: 'The mug' } };
    await editMetadata(ann.client, ADDRESS, edit, {});
    await pullLibrary(ann.client, ADDRESS, folder, ann.options);
    writeFiles(folder, { 'mug/mug.obj': 'v 0 0 1\n' });
    await ann.push(folder);
    expect(mugOf(await manifestOf(ann))).toMatchObject({ ...MUG, title: 'The mug' });
  });

  test('that others change meanwhile stops a push, and after a pull stays as they changed it', async () => {
    const { ann, folder, register } = await pulledFromElsewhere();
    const [mug, pot] = WRITTEN.assets as [WrittenLibrary['assets'][0], WrittenLibrary['assets'][0]];
    await register({ ...WRITTEN, assets: [{ ...mug, license: 'Apache-2.0' }, pot] });
    writeFiles(folder, { 'pot/pot.obj': 'v 1 1 2\n' });
    await expect(ann.push(folder)).rejects.toThrow('mug (changed there)');
    await pullLibrary(ann.client, ADDRESS, folder, { ...ann.options, keep: true });
    await ann.push(folder);
    expect(mugOf(await manifestOf(ann))).toMatchObject({ license: 'Apache-2.0', title: 'A mug' });
  });

  test('is not taken for other files under the same id, and the push says what it would remove', async () => {
    const { ann } = await pulledFromElsewhere();
    const other = folderWith({ 'mug/cup.obj': 'v 2 2 2\n', 'pot/pot.obj': 'v 1 1 1\n' });
    await expect(ann.push(other)).rejects.toMatchObject({
      name: 'ConflictError',
      message: expect.stringContaining(
        'mug (title, description, category, tags, license, attribution, upstream, meta.mass',
      ),
    });
    expect(mugOf(await manifestOf(ann))).toMatchObject(MUG);
  });
});

describe('a push that removes texts or licences', () => {
  const FILES = {
    'arm/arm.xml': '<mujoco/>',
    'bindery.yml': 'assets: { arm: { title: Arm, license: MIT } }\n',
  };

  test('is refused until the author agrees to what it names', async () => {
    const [ann] = (await publishersAt(await serviceForOneTest(), 1)) as [Publisher];
    const folder = folderWith(FILES);
    await ann.push(folder);
    writeFiles(folder, { 'bindery.yml': 'assets: { arm: { title: Arm } }\n' });
    await expect(ann.push(folder)).rejects.toThrow(
      'licences or left-out files of assets that stay:\n  arm (license)',
    );
    expect(await manifestOf(ann)).toMatchObject({ assets: [{ license: 'MIT' }] });
    const asked: unknown[] = [];
    const confirmRemovals = async ({ removedMetadata }: { removedMetadata: unknown }) => {
      asked.push(removedMetadata);
    };
    expect(await ann.push(folder, { confirmRemovals })).toMatchObject({ revision: 2 });
    expect(asked).toEqual([[{ asset: 'arm', keys: ['license'] }]]);
  });

  test('since its bindery.yml or the licence text of an asset is gone is such a push', async () => {
    const [ann] = (await publishersAt(await serviceForOneTest(), 1)) as [Publisher];
    const license = readFileSync(new URL('../../../../LICENSE', import.meta.url), 'utf8');
    const folder = folderWith({ ...FILES, 'hand/hand.xml': '<mujoco/>', 'hand/LICENSE': license });
    await ann.push(folder);
    rmSync(join(folder, 'bindery.yml'));
    rmSync(join(folder, 'hand/LICENSE'));
    expect(await ann.push(folder, { dryRun: true })).toMatchObject({
      removedMetadata: [
        { asset: 'arm', keys: ['title', 'license'] },
        { asset: 'hand', keys: ['license'] },
      ],
    });
  });

  test('is not one that moves a licence from its assets to the library', () => {
    const assets = (license?: string) => [{ id: 'arm', files: [], ...(license && { license }) }];
    const schema = 'bindery.assets/v1';
    const before: Manifest = { schema, assets: assets('MIT') };
    expect(findRemovedMetadata(before, { schema, library: { license: 'MIT' }, assets: assets() })).toEqual(
      [],
    );
    expect(
      findRemovedMetadata(before, { schema, library: { license: 'GPL-3.0' }, assets: assets() }),
    ).toEqual([{ asset: 'arm', keys: ['license'] }]);
  });
});
