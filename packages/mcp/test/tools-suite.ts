import type { CallToolResult, Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../../server/test/actor.ts';
import { publish } from '../../server/test/libraries/publish.ts';
import { startService, type TestService } from '../../server/test/service.ts';
import { HOSTILE, publishFixtures, XML } from './world.ts';

/** How a client speaks: as those of 2025, or as the newest do. */
export type Era = 'legacy' | 'modern';

/** Opens a client of an agent that has the actor's token, over the transport that is tested. */
export type Connect = (actor: Actor, era: Era) => Promise<Client>;

interface ToolResult {
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into it
  value: any;
  text: string;
  /** What stands above the pictures. */
  labels: string[];
  images: { mimeType: string; data: string }[];
  isError: boolean;
}

/** An answer without the library that was asked for, which a failure may repeat. */
function unnamed(answer: ToolResult): unknown {
  return JSON.parse(JSON.stringify(answer).replaceAll(/ada\/(robots|none)/g, 'ada/asked'));
}

/** What the tools that read do, whatever carries them. */
export function describeCatalogTools(open: (service: TestService) => Connect): void {
  let service: TestService;
  let world: Awaited<ReturnType<typeof publishFixtures>>;
  const clients: Client[] = [];
  let ada: Client;

  const join = async (actor: Actor, era: Era = 'modern') => {
    const client = await open(service)(actor, era);
    clients.push(client);
    return client;
  };

  beforeAll(async () => {
    service = await startService();
    world = await publishFixtures(service);
    ada = await join(world.ada);
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await service.close();
  });

  test.each(['legacy', 'modern'] as const)(
    'a client of the %s protocol lists tools and calls them',
    async (era) => {
      const client = await join(world.ada, era);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining([
          'whoami',
          'search_assets',
          'inspect_asset',
          'read_text_file',
          'list_libraries',
          'list_releases',
          'list_changes',
          'list_projects',
          'list_notes',
          'note_places',
          'list_bindrs',
        ]),
      );
      for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
        expect(description?.length, name).toBeLessThan(400);
        expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false });
        expect(outputSchema, name).toMatchObject({ type: 'object' });
        expect(typeof annotations?.readOnlyHint, name).toBe('boolean');
        expect(JSON.stringify(inputSchema), name).not.toMatch(/"(url|uri|href)"/i);
      }
      expect((await call(client, 'list_libraries', {})).value.libraries).toHaveLength(2);
    },
  );

  test('a search returns facts, and pictures of the assets that have one unless turned off', async () => {
    const { value, images, text } = await call(ada, 'search_assets', { query: 'gripper' });
    expect(value).toMatchObject({ total: 1, nextCursor: null, skipped: [] });
    expect(value.hits[0]).toMatchObject({ library: 'ada/robots', picture: 1, authored: { assetId: 'arm' } });
    expect(images).toEqual([{ mimeType: 'image/png', data: expect.any(String) }]);
    expect(JSON.parse(text)).toEqual(value);
    expect((await call(ada, 'search_assets', { query: 'gripper', pictures: false })).images).toEqual([]);
  });

  test('a search returns only assets of the kind that is asked for', async () => {
    const ids = async (filter: object) => {
      const { value } = await call(ada, 'search_assets', { query: '', ...filter });
      return value.hits.map((hit: { authored: { assetId: string } }) => hit.authored.assetId);
    };
    expect((await ids({})).length).toBeGreaterThan(1);
    expect(await ids({ kind: 'mjcf' })).toEqual(['arm']);
    expect(await ids({ kind: 'mjcf', libraries: ['ada/robots'] })).toEqual(['arm']);
  });

  test('an agent that asks for what is similar to an asset learns whether it can be compared at all', async () => {
    const arm = { library: 'ada/robots', assetId: 'arm' };
    expect((await call(ada, 'find_similar', arm)).value).toEqual({
      comparedBy: [],
      total: 0,
      hits: [],
      skipped: [],
      partial: null,
      nextCursor: null,
    });
    const bob = await join(world.bob);
    const [hidden, missing] = [
      await call(bob, 'find_similar', arm),
      await call(bob, 'find_similar', { ...arm, library: 'ada/none' }),
    ];
    expect(hidden).toMatchObject({ isError: true, value: { error: 'not_found' } });
    expect(unnamed(hidden)).toEqual(unnamed(missing));
  });

  test('a search corrects a mistyped word and reports the correction', async () => {
    const { value } = await call(ada, 'search_assets', { query: 'grippper' });
    expect(value).toMatchObject({ total: 1, authored: { didYouMean: 'gripper' } });
    const named = await call(ada, 'search_assets', { query: 'grippper', libraries: ['ada/robots'] });
    expect(named.value.hits).toEqual(value.hits);
  });

  test('a search is paged to its end, and refuses the cursor of another query', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { value } = await call(ada, 'search_assets', { query: '', limit: 1, ...(cursor && { cursor }) });
      seen.push(...value.hits.map((hit: { authored: { assetId: string } }) => hit.authored.assetId));
      cursor = value.nextCursor ?? undefined;
      if (cursor !== undefined) {
        const other = await call(ada, 'search_assets', { query: 'mug', limit: 1, cursor });
        expect(other).toMatchObject({ isError: true, value: { error: 'invalid_cursor' } });
      }
    } while (cursor !== undefined);
    expect(seen.toSorted()).toEqual(['arm', 'hand', 'mug']);
  });

  test('a search skips a hidden library just like a missing one', async () => {
    const bob = await join(world.bob);
    const ask = (library: string) => call(bob, 'search_assets', { query: 'a', libraries: [library] });
    const [hidden, missing] = [await ask('ada/robots'), await ask('ada/nothing')];
    expect(hidden.value).toMatchObject({ total: 0, skipped: ['ada/robots'], hits: [] });
    expect({ ...hidden.value, skipped: [] }).toEqual({ ...missing.value, skipped: [] });
  });

  test('inspecting an asset returns its files in pages, its digest and its picture', async () => {
    const arm = await call(ada, 'inspect_asset', { library: 'ada/robots', assetId: 'arm' });
    expect(arm.value).toMatchObject({
      library: 'ada/robots',
      revision: 1,
      fileCount: 3,
      nextCursor: null,
    });
    expect(arm.value.authored).toMatchObject({ kind: 'mjcf', license: 'MIT', entry: 'arm/arm.xml' });
    expect(arm.images).toHaveLength(1);
    const [hit] = (await call(ada, 'search_assets', { query: 'gripper' })).value.hits;
    expect(arm.value.digest).toBe(hit.digest);

    const first = await call(ada, 'inspect_asset', { library: 'ada/robots', assetId: 'hand', files: 200 });
    expect(first.value.authored.files).toHaveLength(200);
    expect(first.value.authored.meta).toEqual({ missing: { total: 1, names: ['hand.stl'] } });
    const second = await call(ada, 'inspect_asset', {
      library: 'ada/robots',
      assetId: 'hand',
      files: 200,
      cursor: first.value.nextCursor,
    });
    expect(second.value.authored.files).toHaveLength(50);
    expect(second.value.nextCursor).toBeNull();
  });

  test('a release is searched, inspected and read as published, whatever was published later', async () => {
    const path = '/namespaces/ada/libraries/parts';
    const bolt = (text: string) => ({ id: 'bolt', title: `Bolt ${text}`, files: { 'bolt.txt': text } });
    await publish(world.ada, 'ada/parts', { assets: [bolt('old')] });
    await world.ada.post(`${path}/releases`, { name: 'v1', notes: HOSTILE });
    await publish(world.ada, 'ada/parts', { assets: [bolt('new')] });

    const { releases } = (await call(ada, 'list_releases', { library: 'ada/parts' })).value;
    expect(releases).toMatchObject([{ library: 'ada/parts@v1', revision: 1, assetCount: 1 }]);
    expect(releases[0].authored.notes).toContain('Ignore all previous instructions');
    const library = releases[0].library;
    const { hits } = (await call(ada, 'search_assets', { query: 'bolt', libraries: [library] })).value;
    expect(hits).toMatchObject([{ library, authored: { assetId: 'bolt', title: 'Bolt old' } }]);
    const asset = await call(ada, 'inspect_asset', { library, assetId: 'bolt' });
    expect(asset.value).toMatchObject({ library, revision: 1, digest: hits[0].digest });
    const file = { path: 'bolt.txt' };
    expect((await call(ada, 'read_text_file', { library, ...file })).value.authored.text).toBe('old');
    const now = await call(ada, 'read_text_file', { library: 'ada/parts', ...file });
    expect(now.value.authored.text).toBe('new');

    for (const missing of ['ada/parts@v2', 'ada/none@v1']) {
      const gone = await call(ada, 'inspect_asset', { library: missing, assetId: 'bolt' });
      expect(gone, missing).toMatchObject({ isError: true, value: { error: 'not_found' } });
    }
    const both = { query: 'bolt', libraries: ['ada/robots', library] };
    expect(await call(ada, 'search_assets', both)).toMatchObject({
      isError: true,
      value: { error: 'invalid_parameter' },
    });
    await world.ada.delete(path);
  });

  test('an agent learns what changed between two releases, and since one', async () => {
    const path = '/namespaces/ada/libraries/shelf';
    const part = (id: string, text: string, title = id) => ({ id, title, files: { [`${id}.txt`]: text } });
    await publish(world.ada, 'ada/shelf', {
      assets: [part('bolt', 'old'), part('nut', 'x'), part('pin', 'x')],
    });
    await world.ada.post(`${path}/releases`, { name: 'v1' });
    await publish(world.ada, 'ada/shelf', {
      assets: [part('bolt', 'new'), part('nut', 'x', 'A nut'), part('cap', 'x')],
    });
    await world.ada.post(`${path}/releases`, { name: 'v2' });
    const { value } = await call(ada, 'list_changes', { from: 'ada/shelf@v1', to: 'ada/shelf@v2' });
    expect(value).toEqual({
      library: 'ada/shelf',
      from: 1,
      to: 2,
      counts: { added: 1, removed: 1, changed: 2 },
      authored: {
        added: ['cap'],
        removed: ['pin'],
        changed: [
          { assetId: 'bolt', facts: ['files'] },
          { assetId: 'nut', facts: ['title'] },
        ],
      },
    });
    for (const from of ['ada/shelf@v1', 'ada/shelf#1'])
      expect((await call(ada, 'list_changes', { from })).value).toEqual(value);
    const bob = await join(world.bob);
    const [hidden, missing] = [
      await call(bob, 'list_changes', { from: 'ada/shelf@v1' }),
      await call(bob, 'list_changes', { from: 'ada/none@v1' }),
    ];
    expect(hidden).toMatchObject({ isError: true, value: { error: 'not_found' } });
    expect(JSON.stringify(hidden).replaceAll('shelf', 'none')).toBe(JSON.stringify(missing));
    await world.ada.delete(path);
  });

  test('an agent learns whose token it has, and without one that it has none', async () => {
    const { account } = (await call(ada, 'whoami', {})).value;
    expect(account).toMatchObject({ userName: 'ada', token: { scope: 'write' } });
    expect(account.namespaces).toContainEqual({ namespace: 'ada', kind: 'personal', role: 'owner' });
    const reader = await join(await service.token('ada', { scope: 'read' }));
    expect((await call(reader, 'whoami', {})).value.account.token.scope).toBe('read');
    const nobody = await join(service.anonymous);
    expect((await call(nobody, 'whoami', {})).value).toEqual({ account: null });
  });

  test('an agent finds the projects of a namespace and the Notes of a project, page by page', async () => {
    const bob = await join(world.bob);
    await world.bob.post('/namespaces/bob/projects', { displayName: 'Garage', slug: 'garage' });
    await world.bob.post('/namespaces/bob/notes', { name: 'Elsewhere' });
    for (let number = 0; number < 60; number++)
      await world.bob.post('/namespaces/bob/notes', { name: `Bolt ${number}`, projects: ['garage'] });
    const listed = (await call(bob, 'list_projects', { namespace: 'bob' })).value;
    expect(listed).toEqual({
      total: 1,
      projects: [{ project: 'garage', authored: { name: 'Garage' } }],
      nextCursor: null,
    });
    const asked = { namespace: 'bob', project: 'garage' };
    const first = (await call(bob, 'list_notes', asked)).value;
    expect(first).toMatchObject({ total: 60, notes: { length: 30 } });
    const rest = (await call(bob, 'list_notes', { ...asked, cursor: first.nextCursor })).value;
    expect(rest).toMatchObject({ notes: { length: 30 }, nextCursor: null });
    const [found] = (await call(bob, 'list_notes', { ...asked, search: 'bolt 59' })).value.notes;
    const { places } = (await call(bob, 'note_places', { namespace: 'bob', noteId: found.noteId })).value;
    expect(places).toMatchObject([{ project: 'bob/garage' }]);
    const hidden = (await call(ada, 'list_notes', { namespace: 'bob' })).value;
    expect(hidden).toMatchObject({ total: 0, notes: [] });
  });

  test('a text file is read to its end in pages', async () => {
    let text = '';
    let cursor: string | null = null;
    do {
      const page: ToolResult = await call(ada, 'read_text_file', {
        library: 'ada/robots',
        path: 'arm/arm.xml',
        ...(cursor !== null && { cursor }),
      });
      expect(page.value.authored.text.length).toBeLessThanOrEqual(7_000);
      text += page.value.authored.text;
      cursor = page.value.nextCursor;
    } while (cursor !== null);
    expect(text).toBe(XML);
  });

  test.each([
    ['arm/mesh.bin', 'not_text'],
    ['arm/missing.xml', 'unknown_path'],
    ['../../etc/passwd', 'unknown_path'],
    ['.bindery/manifest.json', 'unknown_path'],
  ])('reading %s fails with %s', async (path, error) => {
    const answer = await call(ada, 'read_text_file', { library: 'ada/robots', path });
    expect(answer).toMatchObject({ isError: true, value: { error, next: expect.any(String) } });
  });

  test('who has something simulated that is no robot is told where robots are', async () => {
    const answer = await call(ada, 'certify_asset', { library: 'ada/robots', assetId: 'hand' });
    const value = { error: 'conversion_refused', next: expect.stringContaining('search_assets') };
    expect(answer).toMatchObject({ isError: true, value });
  });

  test('an answer has at most 8 KiB of text unless more is asked for', async () => {
    const words = 'A long description that nobody needs in a list. '.repeat(40);
    const tags = Array.from({ length: 8 }, (_, number) => `some-tag-${number}`);
    const part = (number: number) => ({
      id: `part-${number}`,
      title: `Part number ${number}`,
      description: words,
      tags,
      files: { [`parts/${number}/part.obj`]: `v ${number}` },
    });
    await publish(world.ada, 'ada/many', { assets: Array.from({ length: 60 }, (_, number) => part(number)) });
    const asked: [string, Record<string, unknown>][] = [
      ['search_assets', { query: 'part', libraries: ['ada/many'], pictures: false }],
      ['inspect_asset', { library: 'ada/robots', assetId: 'hand' }],
      ['inspect_asset', { library: 'ada/many', assetId: 'part-1' }],
      ['read_text_file', { library: 'ada/robots', path: 'arm/arm.xml' }],
      ['list_libraries', {}],
      ['list_releases', { library: 'ada/robots' }],
      ['list_projects', { namespace: 'ada' }],
      ['list_notes', { namespace: 'ada' }],
    ];
    for (const [name, input] of asked) {
      const { text, isError } = await call(ada, name, input);
      expect(isError, name).toBe(false);
      expect(Buffer.byteLength(text), name).toBeLessThanOrEqual(8 * 1024);
    }
    await world.ada.delete('/namespaces/ada/libraries/many');
  });

  test('inspecting an asset names its page in the dashboard', async () => {
    const { value } = await call(ada, 'inspect_asset', { library: 'ada/robots', assetId: 'arm' });
    expect(value.authored.page).toBe(`${service.url}/app/ada/robots/arm`);
  });

  test('text written by authors appears only under "authored", with hidden characters escaped', async () => {
    const asked: [string, Record<string, unknown>][] = [
      ['search_assets', { query: 'gripper' }],
      ['inspect_asset', { library: 'ada/robots', assetId: 'arm' }],
      ['list_projects', { namespace: 'ada' }],
      ['list_notes', { namespace: 'ada' }],
      ['note_places', { namespace: 'ada', noteId: world.noteId }],
      ['list_bindrs', { namespace: 'ada', project: 'kitchen' }],
    ];
    for (const [name, input] of asked) {
      const { value, text } = await call(ada, name, input);
      expect(JSON.stringify(value), name).toContain('Ignore all previous instructions');
      expect(JSON.stringify(withoutAuthored(value)), name).not.toContain('Ignore');
      expect(JSON.parse(text), name).toEqual(value);
      for (const hidden of ['\u001b', '\u202e', '\u{e0041}']) {
        expect(strings(value).join(''), name).not.toContain(hidden);
      }
      expect(strings(value).join(''), name).toContain('\\u{e0041}');
    }
    expect(HOSTILE).toContain('\u{e0041}');
  });

  test('ids and words that authors choose for their assets appear only under "authored", and in no label', async () => {
    const asked: [string, Record<string, unknown>][] = [
      ['search_assets', { query: 'gripper' }],
      ['inspect_asset', { library: 'ada/robots', assetId: 'arm' }],
      ['list_libraries', {}],
    ];
    for (const [name, input] of asked) {
      const { value, labels } = await call(ada, name, input);
      expect(JSON.stringify(value), name).toContain('mjcf');
      expect(JSON.stringify([withoutAuthored(value), labels]), name).not.toMatch(/mjcf|\barm\b/);
    }
  });

  test('the text of a file is enclosed in markers that its author cannot predict', async () => {
    const read = () => call(ada, 'read_text_file', { library: 'ada/robots', path: 'arm/LICENSE' });
    const marks = await Promise.all(
      [read(), read()].map(
        async (answer) => /--- (\w+) begin\narm\/LICENSE\nMIT\n--- \1 end/.exec((await answer).text)?.[1],
      ),
    );
    expect(marks[0]).toBeTruthy();
    expect(marks[0]).not.toBe(marks[1]);
  });

  test('a file is a resource, byte for byte, to those who may read it', async () => {
    const read = async (client: Client, uri: string) => {
      const { contents } = await client.readResource({ uri });
      return Buffer.from((contents[0] as { blob: string }).blob, 'base64').toString('latin1');
    };
    await publish(world.ada, 'ada/odd', {
      assets: [{ id: 'odd', files: { 'a #1/ü?.bin': '\0\xff' } }],
    });
    await world.ada.post('/namespaces/ada/libraries/odd/releases', { name: 'v1' });
    const path = encodeURIComponent('ü?.bin');
    for (const library of ['ada/odd', 'ada/odd@v1'])
      expect(await read(ada, `bindery://${library}/a%20%231/${path}`)).toBe(
        Buffer.from('\0ÿ').toString('latin1'),
      );
    expect(await read(ada, 'bindery://ada/robots/arm/mesh.bin')).toBe('\0\u0001binary');
    const bob = await join(world.bob);
    const failureAt = async (library: string) => {
      const failed = read(bob, `bindery://${library}/arm/LICENSE`);
      return (await failed.catch((error: Error) => error.message)).replace(library, '…');
    };
    expect(await failureAt('ada/robots')).toMatch(
      /^(MCP error -32602: )?This cannot be read \(not_found\)\.$/,
    );
    expect(await failureAt('ada/robots')).toBe(await failureAt('ada/none'));
    for (const uri of [
      'bindery://ada',
      'bindery://ada/robots@latest/x',
      'bindery://ada/robots/%zz',
      'file:///etc/passwd',
    ])
      await expect(read(ada, uri), uri).rejects.toThrow();
    expect(await read(ada, 'bindery://ada/robots/arm/LICENSE')).toBe('MIT');
    await world.ada.delete('/namespaces/ada/libraries/odd');
  });

  describe('read access', () => {
    const readers: [string, () => Promise<Actor>, boolean][] = [
      ['the owner', async () => world.ada, true],
      ['the owner with a read-only token', () => service.token('ada', { scope: 'read' }), true],
      [
        'the owner with a token for another namespace',
        () => service.token('ada', { namespace: 'bob' }),
        false,
      ],
      ['a stranger', () => service.stranger(), false],
      ['a viewer without a token', async () => service.anonymous, false],
    ];
    test.each(readers)('%s reads what is allowed and gets not_found otherwise', async (_, actor, mayRead) => {
      const client = await join(await actor());
      const asked: [string, Record<string, unknown>, Record<string, unknown>][] = [
        ['inspect_asset', { library: 'ada/robots', assetId: 'arm' }, { library: 'ada/none', assetId: 'arm' }],
        [
          'read_text_file',
          { library: 'ada/robots', path: 'arm/LICENSE' },
          { library: 'ada/none', path: 'a' },
        ],
        ['list_releases', { library: 'ada/robots' }, { library: 'ada/none' }],
        ['list_notes', { namespace: 'ada', project: 'kitchen' }, { namespace: 'ada', project: 'none' }],
        ['note_places', { namespace: 'ada', noteId: world.noteId }, { namespace: 'ada', noteId: 'none' }],
        ['list_bindrs', { namespace: 'ada', project: 'kitchen' }, { namespace: 'ada', project: 'none' }],
      ];
      for (const [name, present, missing] of asked) {
        const [there, gone] = [await call(client, name, present), await call(client, name, missing)];
        expect(gone, name).toMatchObject({ isError: true, value: { error: 'not_found' } });
        if (mayRead) expect(there.isError, name).toBe(false);
        else expect(unnamed(there), name).toEqual(unnamed(gone));
      }
      const everywhere = await call(client, 'search_assets', { query: '' });
      expect(everywhere.value.total).toBe(mayRead ? 3 : 1);
      const { libraries } = (await call(client, 'list_libraries', {})).value;
      expect(libraries).toHaveLength(mayRead ? 2 : 1);
    });
  });

  test.each([
    ['search_assets', { query: 'x'.repeat(501) }],
    ['search_assets', { query: 'a', limit: 1_000 }],
    ['search_assets', { query: 'a', libraries: ['../../x'] }],
    ['search_assets', { query: 'a', cursor: '%%%' }],
    ['search_assets', { query: 'a', url: 'http://127.0.0.1/' }],
    ['inspect_asset', { library: 'ada/robots', assetId: '../arm' }],
    ['inspect_asset', { library: 'ada/robots@latest', assetId: 'arm' }],
    ['inspect_asset', { library: 'ada/robots', assetId: 'arm', cursor: 'x'.repeat(3_000) }],
    ['read_text_file', { library: 'https://example.org/x', path: 'a' }],
    ['list_bindrs', { namespace: 'ada', project: 'kitchen', cursor: 'nonsense' }],
    ['note_places', { namespace: 'ada', noteId: '../../x' }],
  ])('%s refuses %o, and later calls still work', async (name, input) => {
    expect((await call(ada, name, input)).isError).toBe(true);
    expect((await call(ada, 'list_libraries', {})).isError).toBe(false);
  });

  test.each([
    ['inspect_asset', { library: 'ada/robots' }, 'The argument "assetId" is missing.'],
    ['search_assets', { query: 5 }, '"query" must be text (received 5).'],

    ['search_assets', { query: 'a', limit: 1_000 }, '"limit" must be at most 50 (received 1000).'],
    ['search_assets', { query: 'a', limit: 1.5 }, '"limit" must be an integer (received 1.5).'],
    ['search_assets', { query: 'a', libraries: 'ada/robots' }, '"libraries" must be a list.', '"ada/robots"'],
    ['search_assets', { query: 'a', kinds: 'mesh' }, 'There is no argument "kinds".'],
    [
      'list_libraries',
      { namespace: 'Ada' },
      '"namespace" must be 1 to 39 lowercase letters, digits or hyphens, not with a hyphen at the start or end.',
      '"Ada"',
    ],
  ] as [string, object, string, string?][])(
    '%s tells of %o what is wrong and how to do it right',
    async (name, input, message, received) => {
      const { value, isError } = await call(ada, name, { ...input });
      expect(isError).toBe(true);
      expect(value).toEqual({
        error: 'invalid_parameter',
        message,
        next: expect.stringContaining(name),
        ...(received && { authored: { received: [received] } }),
      });
    },
  );

  test('what is wrong with a call is told at once, with the arguments that the tool takes', async () => {
    const { value } = await call(ada, 'inspect_asset', { asset: 'arm' });
    expect(value.message).toBe(
      'The argument "library" is missing. The argument "assetId" is missing. There is no argument "asset".',
    );
    expect(value.next).toContain('assetId (required): authored.assetId of a hit; files;');
  });

  test.each([
    ['note_places', { namespace: 'ada', noteId: 'none' }, /id of the Note/],
    ['list_bindrs', { namespace: 'ada', project: 'none' }, /name of the project/],
    ['list_libraries', { namespace: 'none' }, /without a namespace/],
    ['list_releases', { library: 'ada/none' }, /list_libraries/],
  ])('%s says what to do if it finds nothing', async (name, input, next) => {
    const { value } = await call(ada, name, input);
    expect(value).toMatchObject({ error: 'not_found', next: expect.stringMatching(next) });
  });
}

/** Calls a tool; an input that the server refuses as such is an error too. */
export async function call(
  client: Client,
  name: string,
  input: Record<string, unknown>,
): Promise<ToolResult> {
  let result: CallToolResult;
  try {
    result = (await client.callTool({ name, arguments: input })) as CallToolResult;
  } catch (error) {
    return { value: { error: 'refused' }, text: String(error), labels: [], images: [], isError: true };
  }
  const { content, structuredContent, isError = false } = result;
  const [text = '', ...labels] = content.flatMap((block) => (block.type === 'text' ? block.text : []));
  const images = content.flatMap((block) =>
    block.type === 'image' ? [{ mimeType: block.mimeType, data: block.data }] : [],
  );
  return { value: structuredContent ?? parsed(text), text, labels, images, isError };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { error: 'refused' };
  }
}

export function withoutAuthored(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner) => (key === 'authored' ? undefined : inner)));
}

function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
}
