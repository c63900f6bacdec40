import {
  DESCRIPTOR_BYTES,
  DESCRIPTOR_PARTS,
  DESCRIPTOR_VERSION,
  type SimilarAssets,
} from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ObjectAddress } from '../../../src/objects/store.ts';
import type { Actor } from '../../actor.ts';
import { databases } from '../../databases.ts';
import { publish, type WrittenAsset } from '../../libraries/publish.ts';
import { startService, type TestService } from '../../service.ts';

interface Look {
  shape: number;
  outlines?: number;
  color?: number;
  steps?: number;
}

/** A descriptor with the shape, outlines and colour of a kind of thing; `steps` numbers of its shape differ a little. */
function descriptorOf({ shape, outlines = shape, color = 0, steps = 0 }: Look): Uint8Array {
  const bytes = new Uint8Array(DESCRIPTOR_BYTES.model);
  const parts = DESCRIPTOR_PARTS.model;
  for (let at = 0; at < parts.shape; at++) bytes[at] = 20 + ((at * (shape + 3)) % 17);
  for (let at = 0; at < steps; at++) (bytes[at] as number) += 4;
  bytes[parts.shape + color] = 127;
  bytes[parts.shape + parts.colors] = 1;
  const first = parts.shape + parts.colors + parts.hasColors;
  for (let at = first; at < bytes.length; at++) bytes[at] = 20 + ((at * (outlines + 5)) % 23);
  return bytes;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

const asset = (id: string, descriptor: Uint8Array | null, content = id): WrittenAsset => ({
  id,
  title: `Thing ${id}`,
  kind: 'mesh',
  files: { [`${id}.stl`]: content },
  ...(descriptor && {
    meta: { statistics: { descriptor: `${DESCRIPTOR_VERSION}:${base64(descriptor)}` } },
  }),
});

/** A robot that holds hands with the shapes of other things. */
const robot = (id: string, look: Look, hands: Readonly<Record<string, Look>>): WrittenAsset => {
  const described = Object.entries(hands).map(([name, hand]) => ({
    name,
    shape: `${DESCRIPTOR_VERSION}:${base64(descriptorOf(hand).subarray(0, DESCRIPTOR_PARTS.model.shape))}`,
  }));
  const own = asset(id, descriptorOf(look));
  return { ...own, meta: { statistics: { ...(own.meta?.statistics as object), hands: described } } };
};

const mug = descriptorOf({ shape: 1 });
const HOME = [
  asset('mug', mug),
  asset('same-mug', descriptorOf({ shape: 1, steps: 20 })),
  asset('red-mug', descriptorOf({ shape: 1, steps: 20, color: 9 })),
  asset('bowl', descriptorOf({ shape: 1, outlines: 2, steps: 150 })),
  asset('chair', descriptorOf({ shape: 7 })),
  asset('plain', null),
];

async function similarTo(actor: Pick<Actor, 'get'>, path: string): Promise<SimilarAssets> {
  const { status, body } = await actor.get<SimilarAssets>(path);
  expect(status).toBe(200);
  return body;
}
const found = ({ hits }: SimilarAssets) =>
  hits.map(({ namespace, library, assetId, match }) => `${namespace}/${library}/${assetId} ${match}`);

describe.each(databases)('similar assets over $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  let bob: Actor;
  beforeAll(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
    bob = await service.member('bob');
    await publish(ada, 'ada/home', { visibility: 'public', assets: HOME });
    await publish(ada, 'ada/secret', { assets: [asset('hidden-mug', mug)] });
    await publish(bob, 'bob/kitchen', {
      visibility: 'public',
      assets: [{ ...asset('cup', mug, 'mug'), files: { 'mug.stl': 'mug' }, kind: 'file' }],
    });
  });
  afterAll(() => service.close());

  const likeMug = '/namespaces/ada/libraries/home/assets/mug/similar';
  test('come from every library that the reader can read, the most similar first, without the asset itself', async () => {
    const answer = await similarTo(bob, likeMug);
    expect(found(answer)).toEqual([
      'bob/kitchen/cup identical',
      'ada/home/same-mug duplicate',
      'ada/home/red-mug shape',
      'ada/home/bowl shape',
      'ada/home/chair shape',
    ]);
    expect(answer).toMatchObject({ comparedBy: ['shape'], total: 5, skipped: [] });
    expect(answer.hits.map(({ similarity }) => similarity)).toEqual(
      answer.hits.map(({ score }) => score).toSorted((a, b) => b - a),
    );
    expect(answer.hits[0]?.similarity).toBe(1);
  });

  test('of a library that others cannot read are found by its members alone', async () => {
    expect(found(await similarTo(ada, likeMug))).toContain('ada/secret/hidden-mug duplicate');
    expect(found(await similarTo(service.anonymous, likeMug))).not.toContain(
      'ada/secret/hidden-mug duplicate',
    );
    const hidden = await bob.get('/namespaces/ada/libraries/secret/assets/hidden-mug/similar');
    expect(hidden).toEqual({ ...hidden, status: 404, body: expect.objectContaining({ error: 'not_found' }) });
  });

  test('can be narrowed by the filters of searches, by how they match and to a page', async () => {
    expect(found(await similarTo(bob, `${likeMug}?kind=mesh&match=duplicate`))).toEqual([
      'ada/home/same-mug duplicate',
    ]);
    expect(found(await similarTo(bob, `${likeMug}?library=bob/kitchen`))).toEqual([
      'bob/kitchen/cup identical',
    ]);
    const page = await similarTo(bob, `${likeMug}?limit=1&offset=1`);
    expect(found(page)).toEqual(['ada/home/same-mug duplicate']);
    expect(page.total).toBe(5);
  });

  test('are robots that hold such a thing, once each, by the nearest hand, and never as duplicates', async () => {
    const claw = { shape: 11, outlines: 3 };
    await publish(ada, 'ada/robots', {
      visibility: 'public',
      assets: [
        asset('claw', descriptorOf(claw)),
        robot('arm', { shape: 13 }, { left_hand: { ...claw, steps: 50 }, right_hand: claw }),
        robot('other-arm', { shape: 13 }, { hand: { shape: 11, steps: 180 } }),
        robot('walking-claw', { ...claw, steps: 10 }, { foot: { ...claw, steps: 40 } }),
      ],
    });
    const like = '/namespaces/ada/libraries/robots/assets/claw/similar?library=ada/robots';
    const { hits } = await similarTo(bob, like);
    expect(hits.map(({ assetId, match, part }) => [assetId, match, part])).toEqual([
      ['walking-claw', 'duplicate', undefined],
      ['arm', 'shape', 'right_hand'],
      ['other-arm', 'shape', undefined],
    ]);
    expect(hits[1]?.similarity).toBe(0.95);
    expect(found(await similarTo(bob, `${like}&match=duplicate`))).toEqual([
      'ada/robots/walking-claw duplicate',
    ]);
    // What one robot looks like as a whole is not what it holds.
    const ofArm = await similarTo(
      bob,
      '/namespaces/ada/libraries/robots/assets/arm/similar?library=ada/robots',
    );
    expect(found(ofArm)[0]).toBe('ada/robots/other-arm duplicate');
    const picture = descriptorOf(claw)
      .subarray(DESCRIPTOR_PARTS.model.shape)
      .subarray(0, 33 + 28);
    const byPicture = await bob.post<SimilarAssets>('/search/similar?library=ada/robots', {
      ...{ version: DESCRIPTOR_VERSION, picture: base64(picture) },
    });
    expect(byPicture.body.hits.flatMap(({ part }) => part ?? [])).toEqual([]);
  });

  test('are the nearest among many', async () => {
    const others = Array.from({ length: 700 }, (_, at) =>
      asset(`other-${at}`, descriptorOf({ shape: 1, outlines: 3, steps: 60 + (at % 90) })),
    );
    const near = [asset('nearest', descriptorOf({ shape: 1, outlines: 3, steps: 58 }))];
    await publish(ada, 'ada/many', { visibility: 'public', assets: [...others, ...near] });
    const [first] = found(await similarTo(bob, `${likeMug}?library=ada/many`));
    expect(first).toBe('ada/many/nearest shape');
  });

  test('of an asset without a descriptor are none, and it says that nothing was compared', async () => {
    const answer = await similarTo(bob, '/namespaces/ada/libraries/home/assets/plain/similar');
    expect(answer).toEqual({ comparedBy: [], total: 0, skipped: [], hits: [] });
    expect((await bob.get('/namespaces/ada/libraries/home/assets/none/similar')).status).toBe(404);
  });

  test('are found by a model and by a picture that a client has described', async () => {
    const byModel = await bob.post<SimilarAssets>('/search/similar', {
      version: DESCRIPTOR_VERSION,
      model: base64(mug),
    });
    expect(found(byModel.body).slice(0, 3)).toEqual([
      'ada/home/mug duplicate',
      'bob/kitchen/cup duplicate',
      'ada/home/same-mug duplicate',
    ]);
    const { shape, colors, hasColors } = DESCRIPTOR_PARTS.model;
    const first = shape + colors + hasColors;
    const chair = descriptorOf({ shape: 7 });
    const picture = [...chair.subarray(shape, first), ...chair.subarray(first, first + 28)];
    const byPicture = await bob.post<SimilarAssets>('/search/similar', {
      version: DESCRIPTOR_VERSION,
      picture: base64(Uint8Array.from(picture)),
    });
    expect(found(byPicture.body)[0]).toBe('ada/home/chair picture');
    expect(byPicture.body.comparedBy).toEqual(['picture']);
  });

  test.each<[string, object, string]>([
    ['of another version', { version: 'shape-0', model: base64(mug) }, '/version'],
    ['of another size', { version: DESCRIPTOR_VERSION, model: base64(mug.subarray(3)) }, '/model'],
    ['with larger numbers', { version: DESCRIPTOR_VERSION, model: base64(mug.map(() => 200)) }, '/model'],
    [
      'of another length',
      {
        version: DESCRIPTOR_VERSION,
        vector: { model: 'a/b/c', numbers: Buffer.alloc(768 * 4).toString('base64') },
      },
      '/vector/numbers',
    ],
  ])('are not searched by what is %s', async (_, body, parameter) => {
    expect(await bob.post('/search/similar', body)).toMatchObject({
      status: 400,
      body: { error: 'invalid_parameter', parameter },
    });
    expect((await bob.post('/search/similar', { version: DESCRIPTOR_VERSION })).status).toBe(400);
  });
});

test('are the same in many libraries once these are joined, whoever asks, without an index that is read', async () => {
  const service = await startService();
  const { segments, revisions, db } = service.context;
  try {
    // The job has looked once, and does so again when it is told to, not before all libraries are there.
    await expect.poll(() => segments.isWanted, { timeout: 60_000 }).toBe(false);
    const [ada, bob] = [await service.member('ada'), await service.member('bob')];
    const looks = Array.from({ length: 6 }, (_, at) => ({ shape: at, steps: at * 25, color: at }));
    for (let number = 0; number < 50; number++) {
      const [owner, name] = number % 2 === 0 ? [ada, `ada/l${number}`] : [bob, `bob/l${number}`];
      const own = looks.map((look, at) =>
        asset(`thing-${at}`, descriptorOf({ ...look, shape: look.shape % 4 })),
      );
      const others = [
        robot(
          'one',
          { shape: number % 5, steps: number },
          { hand: { shape: number % 3, steps: number % 9 } },
        ),
        asset('plain', null),
      ];
      const visibility = number % 4 === 0 ? 'private' : 'public';
      await publish(owner, name, {
        visibility,
        assets: number % 7 === 0 ? [others[1] as WrittenAsset] : [...own, ...others],
      });
    }
    const like = '/namespaces/bob/libraries/l1/assets/thing-1/similar';
    const { shape, colors, hasColors } = DESCRIPTOR_PARTS.model;
    const picture = mug.subarray(shape, shape + colors + hasColors + 28);
    const answers = async () => {
      const all: unknown[] = [];
      for (const viewer of [ada, bob, service.anonymous]) {
        for (const query of [
          '?limit=100',
          '?library=ada/l2&library=bob/l9',
          '?match=shape&offset=3',
          '?kind=file',
        ])
          all.push(
            found(await similarTo(viewer, like + query)),
            (await similarTo(viewer, like + query)).total,
          );
        for (const body of [{ model: base64(mug) }, { picture: base64(picture) }]) {
          const answer = await viewer.post<SimilarAssets>('/search/similar?limit=100', {
            ...{ version: DESCRIPTOR_VERSION, ...body },
          });
          all.push(
            answer.body.hits.map(({ similarity, library, assetId, part }) => [
              similarity,
              library,
              assetId,
              part,
            ]),
          );
        }
      }
      return all;
    };
    const before = await answers();
    expect(JSON.stringify(before)).toContain('"hand"');
    segments.isWanted = true;
    await expect.poll(() => segments.isWanted, { timeout: 60_000 }).toBe(false);
    expect(segments.list()).toHaveLength(1);
    const { index_sha256: own } = await db
      .selectFrom('libraries')
      .select('index_sha256')
      .where('name', '=', 'l1')
      .executeTakeFirstOrThrow();
    const load = revisions.load.bind(revisions);
    Object.assign(revisions, {
      held: () => undefined,
      load(object: ObjectAddress) {
        if (object.sha256 !== own) throw new Error('The index of another library is read.');
        return load(object);
      },
    });
    expect(await answers()).toEqual(before);
  } finally {
    await service.close();
  }
}, 120_000);
