import type { CrossLibraryHit, SearchHit } from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeSections, joinSections } from '../../../src/revision/sections.ts';
import type { Actor } from '../../actor.ts';
import { databases } from '../../databases.ts';
import { publish, type WrittenAsset } from '../../libraries/publish.ts';
import { startService, type TestService } from '../../service.ts';

interface Envelope {
  semantic: boolean;
  total: number;
  didYouMean?: string;
  skipped?: unknown[];
  hits: (SearchHit & Partial<CrossLibraryHit>)[];
}

const asset = (id: string, more: Partial<WrittenAsset> = {}): WrittenAsset => ({
  id,
  files: { [`${id}/model.stl`]: id },
  ...more,
});

describe.each(databases)('a search by relevance over $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  let bo: Actor;

  beforeAll(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
    bo = await service.member('bo');
    await publish(ada, 'ada/robots', {
      visibility: 'public',
      assets: [
        asset('2f85', {
          title: 'Robotiq 2F-85',
          description: 'A two-finger gripper',
          license: 'MIT',
          tags: ['Robotiq'],
        }),
        asset('hand', { title: 'Robot hand, left', kind: 'mjcf', license: 'Apache-2.0' }),
        asset('handle', { title: 'Door handle for a robot', description: 'Fits the hand', license: 'MIT' }),
        asset('pendulum', { title: 'Pendulum with two links', kind: 'urdf' }),
        asset('ur_description', {
          title: 'Universal Robots',
          entry: 'ur_description/ur3.urdf',
          entryPoints: Object.fromEntries(
            ['ur3', 'ur5', 'ur10e'].map((name) => [`ur_${name}`, { file: `ur_description/${name}.urdf` }]),
          ),
          files: Object.fromEntries(
            ['ur3', 'ur5', 'ur10e'].map((name) => [`ur_description/${name}.urdf`, name]),
          ),
        }),
      ],
    });
    await publish(ada, 'ada/secret', { assets: [asset('hidden', { title: 'Hidden gripper' })] });
    await publish(bo, 'bo/things', { visibility: 'public', assets: [asset('mug', { title: 'Red mug' })] });
  });
  afterAll(() => service.close());

  const search = async (actor: Actor, query: string) => (await actor.get<Envelope>(`/search?${query}`)).body;
  const ids = ({ hits }: Envelope) => hits.map(({ assetId }) => assetId);

  test('finds an asset by the name of an entry point, and the hit opens that one', async () => {
    const { hits } = await search(ada, 'q=UR10e&explain=true');
    expect(hits).toMatchObject([
      { assetId: 'ur_description', entryPoint: 'ur_ur10e', entry: 'ur_description/ur10e.urdf' },
    ]);
    expect(hits[0]?.explain?.sentences?.[0]).toMatch(/"ur10e" in labels/);
    const [whole] = (await search(ada, 'q=universal+robots')).hits;
    expect(whole).toMatchObject({ assetId: 'ur_description', entry: 'ur_description/ur3.urdf' });
    expect(whole).not.toHaveProperty('entryPoint');
  });

  test('covers every library that the viewer can read, and no others', async () => {
    expect(ids(await search(ada, 'q=gripper'))).toEqual(['hidden', '2f85']);
    expect(ids(await search(service.anonymous, 'q=gripper'))).toEqual(['2f85']);
    expect(ids(await search(bo, 'q=gripper'))).toEqual(['2f85']);
    expect(await search(service.anonymous, 'q=mug')).toMatchObject({
      total: 1,
      skipped: [],
      hits: [{ namespace: 'bo', library: 'things', assetId: 'mug' }],
    });
  });

  test('ranks hits of the specified routes with rank=relevance, and refuses an unknown rank', async () => {
    const base = '/namespaces/ada/libraries/robots/search';
    const specified = await service.anonymous.get<Envelope>(`${base}?q=gripper+with+two+fingers`);
    expect(ids(specified.body)[0]).toBe('pendulum');
    const ranked = await service.anonymous.get<Envelope>(`${base}?q=gripper+with+two+fingers&rank=relevance`);
    expect(ids(ranked.body)[0]).toBe('2f85');
    const across = await service.anonymous.get<Envelope>(
      '/library-search?libraries=ada/robots,bo/things&q=grippers&rank=relevance',
    );
    expect(across.body).toMatchObject({ skipped: [], hits: [{ namespace: 'ada', assetId: '2f85' }] });
    expect((await service.anonymous.get(`${base}?q=x&rank=best`)).status).toBe(400);
  });

  test('corrects a mistyped word and returns the corrected query as didYouMean', async () => {
    const body = await search(service.anonymous, 'q=Robotiq+grpper');
    expect(body.didYouMean).toBe('Robotiq gripper');
    expect(ids(body)[0]).toBe('2f85');
    expect(await search(service.anonymous, 'q=gripper')).not.toHaveProperty('didYouMean');
  });

  test('matches quoted phrases and leaves out assets with excluded words', async () => {
    expect(ids(await search(service.anonymous, 'q=%22robot+hand%22'))).toEqual(['hand']);
    expect(ids(await search(service.anonymous, 'q=hand+-door'))).toEqual(['hand']);
    expect(ids(await search(service.anonymous, 'q=-robot+-pendulum+-gripper'))).toEqual(['mug']);
  });

  test('accepts several values per filter, in any letter case', async () => {
    expect(ids(await search(service.anonymous, 'q=door&license=mit')).sort()).toEqual(['handle']);
    expect(ids(await search(service.anonymous, 'kind=mjcf&kind=urdf'))).toEqual(['hand', 'pendulum']);
    expect(ids(await search(service.anonymous, 'tag=ROBOTIQ&license=mit&license=x'))).toEqual(['2f85']);
    expect(ids(await search(service.anonymous, 'library=bo/things'))).toEqual(['mug']);
    expect(ids(await search(service.anonymous, 'library=ada/secret&q=gripper'))).toEqual([]);
  });

  test('explains a hit in sentences', async () => {
    const body = await search(service.anonymous, 'q=grpper+drone&explain=true');
    const { explain } = body.hits[0] as SearchHit;
    expect(explain?.sentences?.[0]).toMatch(/^"gripper", the closest spelling of "grpper", in description/);
    expect(explain?.sentences?.[1]).toBe('No match for "drone".');
    expect(explain?.sentences?.at(-1)).toMatch(/^Relevance [\d.]+ \(keywords [\d.]+\)\.$/);
  });

  test('finds assets of a revision that was registered before words were indexed', async () => {
    await publish(bo, 'bo/old', { visibility: 'public', assets: [asset('anvil', { title: 'Anvil' })] });
    const row = await service.context.db
      .selectFrom('libraries')
      .selectAll()
      .where('name', '=', 'old')
      .executeTakeFirstOrThrow();
    const address = { storeId: row.store_id, sha256: row.index_sha256 };
    const sections = decodeSections(await service.context.objects.read(address));
    const old = Object.entries(sections).filter(([name]) => !name.startsWith('words.'));
    const { sha256 } = await service.context.objects.write(
      row.store_id,
      joinSections(Object.fromEntries(old)),
    );
    await service.context.db
      .updateTable('libraries')
      .set({ index_sha256: sha256 })
      .where('id', '=', row.id)
      .execute();
    expect(ids(await search(service.anonymous, 'q=anvils'))).toEqual(['anvil']);
    const specified = await service.anonymous.get<Envelope>('/namespaces/bo/libraries/old/search?q=anvil');
    expect(ids(specified.body)).toEqual(['anvil']);
  });

  test('returns the same scores, order, counts and suggestions whatever hidden libraries contain', async () => {
    const queries = [
      'q=gripper',
      'q=grpper',
      'q=robot+hand',
      'q=hiden',
      'q=mug+gripper&explain=true',
      'q=wombta',
    ];
    const before = await Promise.all(queries.map((query) => search(service.anonymous, query)));
    await publish(ada, 'ada/more-secret', {
      assets: Array.from({ length: 30 }, (_, at) =>
        asset(`wombat-${at}`, {
          title: 'Grpper wombat robot',
          description: 'gripper hand mug',
          tags: ['hiden'],
        }),
      ),
    });
    const after = await Promise.all(queries.map((query) => search(service.anonymous, query)));
    expect(after).toEqual(before);
    expect((await search(ada, 'q=wombta')).didYouMean).toBe('wombat');
  });
});
