import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openManifest } from '../../src/libraries/read/files.ts';
import { openRevision } from '../../src/objects/open-revision.ts';
import { RevisionCache } from '../../src/objects/revision-cache.ts';
import type { ObjectAddress } from '../../src/objects/store.ts';
import { runSearch } from '../../src/search/search.ts';
import type { Actor } from '../actor.ts';
import { startService, type TestService } from '../service.ts';
import { publish } from './publish.ts';

let service: TestService;
let ada: Actor;
beforeAll(async () => {
  service = await startService();
  ada = await service.member('ada');
});
afterAll(() => service.close());

const rowOf = (name: string) =>
  service.context.db.selectFrom('libraries').selectAll().where('name', '=', name).executeTakeFirstOrThrow();

async function publishPart(name: string, id: string) {
  await publish(ada, `ada/${name}`, { visibility: 'public', assets: [{ id, files: { [id]: id } }] });
  return rowOf(name);
}

async function purge(name: string) {
  await ada.delete(`/namespaces/ada/libraries/${name}`);
  const { status } = await ada.delete(`/namespaces/ada/libraries/${name}/purge`);
  expect(status).toBe(200);
}

test('a reader whose revision was reclaimed meanwhile gets the current one', async () => {
  const before = await publishPart('moved', 'old');
  const now = await publishPart('moved', 'new');
  await service.context.objects.delete(
    before.store_id,
    [before.index_sha256, before.manifest_sha256],
    async (all) => new Set(all),
  );
  const { row, index } = await openRevision(service.context, before);
  expect([row.revision, index.assetId(0)]).toEqual([now.revision, 'new']);
  const manifest = await openManifest(service.context, before);
  expect(manifest.row.revision).toBe(now.revision);
  expect(await json(manifest.stream)).toMatchObject({ assets: [{ id: 'new' }] });
});

test('a library that was purged meanwhile is not found, and a cross-library search skips it', async () => {
  const gone = await publishPart('gone', 'part-of-gone');
  const kept = await publishPart('kept', 'part-of-kept');
  await purge('gone');
  await expect(openRevision(service.context, gone)).rejects.toMatchObject({ code: 'not_found' });
  const targets = [gone, kept].map((row) => ({ namespace: 'ada', library: row.name, row }));
  const { searched, hits, total } = await runSearch(service.context, targets, {
    q: 'part',
    limit: 5,
    offset: 0,
    explain: false,
    order: { rank: 'specified', filters: {} },
  });
  expect(searched.map(({ library }) => library)).toEqual(['kept']);
  expect([total, hits.map(({ target, hit }) => [target.library, hit.assetId])]).toEqual([
    1,
    [['kept', 'part-of-kept']],
  ]);
});

test('a library that is purged after its hits were ranked is left out of the search results', async () => {
  const gone = await publishPart('vanishing', 'part-of-vanishing');
  const kept = await publishPart('staying', 'part-of-staying');
  const targets = [gone, kept].map((row) => ({ namespace: 'ada', library: row.name, row }));
  // Keeps nothing, and lets the purge happen once both libraries were ranked.
  class PurgedInBetween extends RevisionCache {
    loads = 0;
    override async load(address: ObjectAddress) {
      if (++this.loads === 3) await purge('vanishing');
      return super.load(address);
    }
  }
  const revisions = new PurgedInBetween(service.context.objects, 1);
  const outcome = await runSearch({ ...service.context, revisions }, targets, {
    q: 'part',
    limit: 5,
    offset: 0,
    explain: false,
    order: { rank: 'specified', filters: {} },
  });
  expect(outcome.hits.map(({ target }) => target.library)).toEqual(['staying']);
});

test('lost content of the current revision is a 500 content_lost, not a missing library', async () => {
  const row = await publishPart('damaged', 'part');
  await service.context.objects.delete(
    row.store_id,
    [row.index_sha256, row.manifest_sha256],
    async (all) => new Set(all),
  );
  for (const path of ['assets/part', 'manifest']) {
    const { status, body, headers } = await ada.get(`/namespaces/ada/libraries/damaged/${path}`);
    expect([path, status, body.error, headers.get('etag')]).toEqual([path, 500, 'content_lost', null]);
  }
});
