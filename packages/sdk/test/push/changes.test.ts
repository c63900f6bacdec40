import { hash } from 'node:crypto';
import { SOURCE_CURATION_PATH } from '@bindery/contract';
import { expect, test } from 'vitest';
import type { TransportRequest } from '../../src/index.ts';
import { ApiError } from '../../src/index.ts';
import { ManifestCache } from '../../src/library/manifest-cache.ts';
import { downloadManifest } from '../../src/library/read-library.ts';
import { folderWith, writeFiles } from '../folder.ts';
import { ADDRESS, type Publisher, publishers } from './publisher.ts';

/** Enough that a manifest is larger than what is always sent whole. */
const MANY = Object.fromEntries(
  Array.from({ length: 500 }, (_, at) => [`part-${at}/part.txt`, `part ${at}`]),
);

const bodyOf = ({ body }: TransportRequest) => JSON.parse(Buffer.from(body as Uint8Array).toString());

/** Records the bodies of registers, which `refuse` may refuse. */
function watchRegisters(publisher: Publisher, refuse: (body: Record<string, unknown>) => void = () => {}) {
  const bodies: Record<string, unknown>[] = [];
  publisher.watch = (request) => {
    if (!new URL(request.url).pathname.endsWith('/register')) return;
    const body = bodyOf(request);
    bodies.push(body);
    refuse(body);
  };
  return bodies;
}

test('a push sends the change of one asset among many, not the manifest, and needs none to be sent to it', async () => {
  const [ann] = (await publishers(1)) as [Publisher];
  const folder = folderWith(MANY);
  await ann.push(folder);
  const bodies = watchRegisters(ann);
  writeFiles(folder, { 'part-7/part.txt': 'another part', 'bindery.yml': 'library: {title: Arms}\n' });
  ann.requests.length = 0;
  expect(await ann.push(folder)).toMatchObject({ status: 'published', revision: 2 });
  expect(bodies).toMatchObject([
    {
      expectedRevision: 1,
      changes: {
        library: { title: 'Arms' },
        assets: [{ id: 'part-7' }],
        removed: [],
        generated: { added: [SOURCE_CURATION_PATH] },
      },
      artifacts: [{ path: SOURCE_CURATION_PATH }],
    },
  ]);
  expect(ann.requests).not.toContain('GET manifest');
  // The part and the curation.
  expect(ann.requests.filter((request) => request === 'PUT bytes')).toHaveLength(2);
  const { manifest, sha256 } = await downloadManifest(ann.client, ADDRESS);
  expect(manifest.assets).toHaveLength(500);
  expect(manifest.assets.find(({ id }) => id === 'part-7')?.files[0]?.sha256).toBe(
    hash('sha256', 'another part'),
  );
  const kept = new ManifestCache(ann.options.cacheFolder).read(ann.client.baseUrl, ADDRESS);
  expect(kept).toMatchObject({ sha256, manifest });
  expect(await ann.push(folder)).toMatchObject({ status: 'unchanged' });
});

test('a push to a service that knows no changes sends the manifest', async () => {
  const [ann] = (await publishers(1)) as [Publisher];
  const folder = folderWith(MANY);
  await ann.push(folder);
  const bodies = watchRegisters(ann, ({ changes }) => {
    if (changes === undefined) return;
    const message = 'There is no such key: /changes.';
    throw new ApiError({ status: 400, code: 'invalid_parameter', message, requestId: null });
  });
  writeFiles(folder, { 'part-7/part.txt': 'another part' });
  expect(await ann.push(folder)).toMatchObject({ status: 'published', revision: 2 });
  expect(bodies).toHaveLength(2);
  const { manifest } = await downloadManifest(ann.client, ADDRESS);
  expect(manifest.assets.find(({ id }) => id === 'part-7')?.files[0]?.sha256).toBe(
    hash('sha256', 'another part'),
  );
});

test('a push that others came before merges with what they published, and is refused where it would undo it', async () => {
  const [ann, bob] = (await publishers(2)) as [Publisher, Publisher];
  const [hers, his] = [folderWith(MANY), folderWith(MANY)];
  await ann.push(hers);
  await bob.push(his);
  writeFiles(hers, { 'part-1/part.txt': 'hers' });
  await ann.push(hers);
  writeFiles(his, { 'part-2/part.txt': 'his' });
  await expect(bob.push(his)).rejects.toThrow(/part-1/);
});
