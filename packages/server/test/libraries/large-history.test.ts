import {
  composeManifest,
  type LibraryHistory,
  MANIFEST_SCHEMA,
  type Manifest,
  type ManifestAsset,
  manifestText,
} from '@bindery/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fsck } from '../../src/objects/health/fsck.ts';
import { collectGarbage } from '../../src/objects/retention/reclaim.ts';
import { emptySurvey, surveyStore } from '../../src/objects/retention/survey.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { fileEntry, Publisher, sha256 } from './publisher.ts';

const DAY = 86_400;
const README = '.bindery/source/README.md';

describe.each(databases)('the history of a library with a large manifest on $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  let publisher: Publisher;
  /** The manifests of all revisions, the first at 1. */
  let texts: string[];

  beforeEach(async () => {
    service = await startService({ database: await open(), configuration: { historyDays: 30 } });
    ada = await service.member('ada');
    publisher = new Publisher(ada, 'ada', 'parts');
    const parts = Array.from({ length: 1_000 }, (_, number) => part(`part-${number}`));
    await publisher.upload({ 'part-0/part.txt': 'plain', 'part-0/licence.txt': 'licence' });
    texts = ['', manifestText({ schema: MANIFEST_SCHEMA, assets: parts })];
    await register(texts[1] ?? '');
    await push(['part-7'], 'second');
    await push(['part-7', 'part-8'], 'third', { library: { title: 'Parts' }, generated: [README] });
    await push(['new'], 'fourth', { generated: undefined }, 'part-9');
  });
  afterEach(() => service.close());

  const part = (id: string, text = 'plain'): ManifestAsset => ({
    ...{ id, description: `A ${text} part. `.padEnd(200, `${id} `) },
    files: [fileEntry(`${id}/licence.txt`, 'licence'), fileEntry(`${id}/part.txt`, text)],
  });

  async function register(text: string): Promise<void> {
    await publisher.upload({ [README]: '# Parts' });
    await publisher.uploadManifest(text);
    const { status, body } = await publisher.register({ manifestSha256: sha256(text) });
    if (status > 201) throw new Error(JSON.stringify(body));
  }

  /** Publishes the next revision, in which these parts have a text. */
  async function push(
    ids: string[],
    text: string,
    more: Partial<Manifest> = {},
    removed = '',
  ): Promise<void> {
    const { assets, ...rest }: Manifest = JSON.parse(texts.at(-1) ?? '');
    const left = assets.filter(({ id }) => id !== removed && !ids.includes(id));
    const next = { ...rest, assets: [...left, ...ids.map((id) => part(id, text))], ...more };
    await publisher.upload(Object.fromEntries(ids.map((id) => [`${id}/part.txt`, text])));
    texts.push(manifestText(next));
    await register(texts.at(-1) ?? '');
  }

  /** The hash of a manifest as it is served, or the status of a refusal. */
  async function manifestAt(query: string): Promise<string | number> {
    const answer = await fetch(`${ada.url}${publisher.path}/manifest${query}`, { headers: ada.headers });
    return answer.status === 200 ? sha256(await answer.text()) : answer.status;
  }

  const expectRevision = async (revision: number) =>
    expect(await manifestAt(`?revision=${revision}`)).toBe(sha256(texts[revision] ?? ''));

  async function textAt(path: string, query: string): Promise<string> {
    const { body } = await ada.post<{ files: { url: string }[] }>(`${publisher.path}/files-presign${query}`, {
      paths: [path],
    });
    return (await fetch(body.files[0]?.url ?? '')).text();
  }

  const restore = (revision: number) => ada.post(`${publisher.path}/revisions/${revision}/restore`, {});
  const release = (revision: number) =>
    ada.post(`${publisher.path}/releases`, { name: `v${revision}`, revision });
  async function findings() {
    // What was made to be read is as old as the test, which the clock of the service is ahead of.
    await collect(0);
    return (await fsck(service.context, { readShare: 1, repair: false })).findings;
  }

  const retired = () =>
    service.context.db.selectFrom('retired_revisions').selectAll().orderBy('revision').execute();

  /** Past the grace period, only what history needs is left. */
  async function collect(days: number): Promise<void> {
    service.advance(days * DAY);
    await collectGarbage(service.context);
  }

  test('consists of what the revisions that came next lack', async () => {
    await collect(2);
    const { body } = await ada.get<LibraryHistory>(`${publisher.path}/history`);
    expect(body.revisions).toBe(3);
    expect(body.bytes).toBeLessThan((texts[1] ?? '').length / 20);
    const { store_id: storeId } = (await retired())[0] ?? { store_id: '' };
    expect(await service.context.objects.size({ storeId, sha256: sha256(texts[1] ?? '') })).toBeNull();
  });

  test('is whole for minutes rather than a day, if the library changes again', async () => {
    for (const text of ['fifth', 'sixth', 'seventh']) {
      service.advance(11 * 60);
      const before: Manifest = JSON.parse(texts.at(-1) ?? '');
      const changes = { base: sha256(texts.at(-1) ?? ''), assets: [part('part-5', text)] };
      texts.push(manifestText(composeManifest(before, changes)));
      await publisher.upload({ 'part-5/part.txt': text });
      expect((await publisher.register({ changes })).status).toBe(200);
    }
    const { store_id: storeId } = (await retired())[0] ?? { store_id: '' };
    const isThere = async (text: string) =>
      (await service.context.objects.size({ storeId, sha256: sha256(text) })) !== null;
    await expect
      .poll(() => Promise.all(texts.slice(1).map(isThere)), { timeout: 20_000 })
      .toEqual([false, false, false, false, false, true, true]);
    await expectRevision(5);
    await expectRevision(1);
    const { body } = await ada.get<LibraryHistory>(`${publisher.path}/history`);
    const survey = emptySurvey();
    await surveyStore(service.context, storeId, survey);
    expect(survey.replaced).toEqual({ objects: body.objects, bytes: body.bytes });
  });

  test('is read byte for byte while the revisions are whole and when they are made again', async () => {
    for (const days of [0, 2, 20]) {
      await collect(days);
      for (const revision of [2, 1, 3, 4]) await expectRevision(revision);
      expect(await textAt('part-7/part.txt', '?revision=2')).toBe('second');
      expect(await textAt(README, '?revision=3')).toBe('# Parts');
      expect(await findings()).toEqual([]);
    }
    service.advance(9 * DAY);
    expect(await manifestAt('?revision=1')).toBe(404);
    await collect(0);
    expect(await retired()).toEqual([]);
  });

  test('comes back, and is then itself what earlier revisions are made of', async () => {
    await collect(2);
    expect(await restore(2)).toMatchObject({ status: 200, body: { revision: 5 } });
    expect(await manifestAt('')).toBe(sha256(texts[2] ?? ''));
    texts.push(texts[2] ?? '');
    await push(['part-1'], 'sixth');
    await collect(2);
    for (const revision of [1, 2, 3, 4, 5, 6]) await expectRevision(revision);
    expect(await textAt('part-8/part.txt', '?revision=3')).toBe('third');
    expect(await findings()).toEqual([]);
  });

  test('is released, and outlives the release and the days of what it was made of', async () => {
    await collect(2);
    expect((await release(2)).status).toBe(201);
    await collect(40);
    expect(await manifestAt('?release=v2')).toBe(sha256(texts[2] ?? ''));
    expect(await textAt('part-7/part.txt', '?release=v2')).toBe('second');
    expect((await ada.delete(`${publisher.path}/releases/v2`)).status).toBeLessThan(300);
    await collect(2);
    expect(await findings()).toEqual([]);
    await expectRevision(4);
  });

  test('outlasts a clock that was set back, from what it is made of on', async () => {
    service.advance(-20 * DAY);
    await push(['part-2'], 'fifth');
    service.advance(20 * DAY);
    await collect(15);
    for (const revision of [1, 4]) await expectRevision(revision);
  });

  test('stays whole where the manifest that came next is written in another way', async () => {
    const spaced = JSON.stringify(JSON.parse(texts.at(-1) ?? ''), null, 1);
    texts.push(spaced);
    await register(spaced);
    await push(['part-3'], 'sixth');
    await collect(2);
    await expectRevision(5);
    await expectRevision(4);
  });

  test('that has lost its differences is reported, and no longer keeps anything after the grace period', async () => {
    const [, second] = await retired();
    if (!second) throw new Error('no second revision');
    const { store_id: storeId, index_sha256: differences } = second;
    await service.context.objects.delete(storeId, [differences], async (some) => new Set(some));
    expect(await findings()).toMatchObject([{ problem: 'missing', what: 'differences', revision: 2 }]);
    await collect(2);
    await collect(0);
    expect((await retired()).map(({ revision }) => revision)).toEqual([3]);
    await expectRevision(3);
    expect(await restore(2)).toMatchObject({ status: 404 });
    expect(await findings()).toEqual([]);
  });
});
