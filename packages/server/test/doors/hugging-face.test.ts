import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { exchange } from '../exchange.ts';
import { publish, sha256, type WrittenLibrary } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';

const robots: WrittenLibrary = {
  library: { title: 'Robots' },
  assets: [{ id: 'arm', files: { 'arm/arm.urdf': '<robot/>', 'arm/mesh.stl': 'a mesh' } }],
  generated: { '.bindery/source/README.md': '# Robots', '.bindery/thumbs/arm.webp': 'a picture' },
};

describe.each(databases)("Hugging Face's protocol on $name", ({ open }) => {
  let service: TestService;
  let ada: Actor;

  beforeAll(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
    await publish(ada, 'ada/robots', { ...robots, visibility: 'public' });
    await publish(ada, 'ada/secret', { ...robots, share: true });
    await ada.post('/namespaces/ada/libraries/robots/releases', { name: 'v1' });
  });
  afterAll(() => service.close());

  const info = async (who: Actor, path: string) => (await who.get<{ sha: string }>(`/hf/api/${path}`)).body;

  /** Sends one JSON object in each line, as clients do. */
  async function commit(who: Actor, library: string, ...lines: unknown[]) {
    const { status, bytes } = await exchange(`${who.url}/hf/api/datasets/${library}/commit/main`, {
      method: 'POST',
      headers: { ...who.headers, 'content-type': 'application/x-ndjson' },
      body: Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')),
    });
    return { status, body: JSON.parse(bytes.toString()) };
  }

  test('a library is a model and a dataset with the files of its folder, README included', async () => {
    for (const kind of ['models', 'datasets']) {
      const { body } = await service.anonymous.get(`/hf/api/${kind}/ada/robots?blobs=true`);
      expect(body).toMatchObject({ id: 'ada/robots', author: 'ada', private: false });
      expect(body.siblings).toMatchObject([
        { rfilename: 'README.md', size: 8 },
        { rfilename: 'arm/arm.urdf' },
        { rfilename: 'arm/mesh.stl', lfs: { sha256: sha256(Buffer.from('a mesh')), size: 6 } },
      ]);
    }
  });

  test('who asks for parts of a description is not sent the list of files without having asked for it', async () => {
    const described = (parts: string) => service.anonymous.get(`/hf/api/models/ada/robots?${parts}`);
    expect((await described('expand=sha&expand=tags')).body).not.toHaveProperty('siblings');
    expect((await described('expand=sha&expand=siblings')).body.siblings).toHaveLength(3);
  });

  test('the current revision and a release of the same content have one commit of 40 digits', async () => {
    const { sha } = await info(ada, 'models/ada/robots');
    expect(sha).toMatch(/^[0-9a-f]{40}$/);
    expect(await info(ada, 'datasets/ada/robots/revision/v1')).toMatchObject({ sha });
    const { body } = await ada.get('/hf/api/models/ada/robots/refs');
    expect(body).toMatchObject({
      branches: [{ name: 'main', targetCommit: sha }],
      tags: [{ name: 'v1', ref: 'refs/tags/v1', targetCommit: sha }],
    });
    expect((await info(ada, 'models/ada/secret')).sha).not.toBe(sha);
  });

  test('a file comes with its hash, size and commit, also for HEAD', async () => {
    const { sha } = await info(ada, 'models/ada/robots');
    for (const method of ['GET', 'HEAD']) {
      const answer = await ada.send(method, '/hf/datasets/ada/robots/resolve/main/arm/mesh.stl');
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        etag: `"${sha256(Buffer.from('a mesh'))}"`,
        'x-linked-etag': `"${sha256(Buffer.from('a mesh'))}"`,
        'x-linked-size': '6',
        'x-repo-commit': sha,
      });
    }
  });

  test('a long tree comes in pages, all of the revision that the first one was of', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 998 }, (_, at) => [`many/${at % 500}/${at}.txt`, '']),
    );
    await publish(ada, 'ada/many', { assets: [{ id: 'many', files }] });
    const first = await ada.get<{ path: string }[]>('/hf/api/models/ada/many/tree/main?recursive=true');
    await publish(ada, 'ada/many', { assets: [{ id: 'other', files: { other: '' } }] });
    const [, next] = /^<http:\/\/[^/]+([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')!;
    const second = await ada.get<{ path: string }[]>(next!);
    expect(second.headers.get('link')).toBeNull();
    const paths = [...first.body, ...second.body].map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths.filter((path) => path.endsWith('.txt')).sort()).toEqual(Object.keys(files).sort());
    expect(paths.filter((path) => !path.endsWith('.txt'))).toHaveLength(501);
  });

  test('what is at some paths comes by JSON and by form, for up to 1,000 of them', async () => {
    const at = async (type: string, body: string) => {
      const answer = await exchange(`${service.url}/hf/api/models/ada/robots/paths-info/main`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: Buffer.from(body),
      });
      return { status: answer.status, body: JSON.parse(answer.bytes.toString()) };
    };
    const [json, form] = ['application/json', 'application/x-www-form-urlencoded'];
    const file = { path: 'arm/mesh.stl', type: 'file', size: 6 };
    const asked = ['arm/mesh.stl', 'arm', 'nothing', '../arm'];
    for (const { body } of [
      await at(json, JSON.stringify({ paths: asked })),
      await at(form, new URLSearchParams(asked.map((path) => ['paths', path])).toString()),
    ])
      expect(body).toMatchObject([file, { path: 'arm', type: 'directory' }]);
    expect((await at(form, 'paths=arm%2Fmesh.stl&expand=True')).body).toMatchObject([
      { ...file, lastCommit: { title: 'Revision 1' } },
    ]);
    expect((await at(form, '')).body).toEqual([]);

    const most = Array<string>(1_000).fill('arm/mesh.stl');
    expect((await at(json, JSON.stringify({ paths: most }))).body).toHaveLength(1_000);
    for (const { status, body } of [
      await at(json, JSON.stringify({ paths: [...most, 'arm'] })),
      await at(form, 'paths=arm&'.repeat(100_000)),
    ]) {
      expect([status, body.parameter]).toEqual([400, '/paths']);
      expect(body.message).toContain('at most 1000 entries');
    }
  });

  test('hidden and missing libraries are one, for everybody; what a library lacks is told apart', async () => {
    const told = async (who: Actor, path: string) => {
      const { status, headers, body } = await who.get(path);
      return [status, headers.get('x-error-code'), headers.get('x-error-message'), body.error];
    };
    for (const who of [service.anonymous, await service.stranger()]) {
      for (const path of ['resolve/main/arm/arm.urdf', 'resolve/v9/x']) {
        const hidden = await told(who, `/hf/ada/secret/${path}`);
        expect(hidden[1]).toBe('RepoNotFound');
        expect(await told(who, `/hf/ada/nothing/${path}`)).toEqual(hidden);
      }
      for (const path of ['', '/refs', '/tree/main', '/revision/v1'])
        expect(await told(who, `/hf/api/models/ada/secret${path}`)).toEqual(
          await told(who, `/hf/api/models/no/thing${path}`),
        );
    }
    expect((await told(ada, '/hf/ada/robots/resolve/v9/x'))[1]).toBe('RevisionNotFound');
    expect((await told(ada, '/hf/ada/robots/resolve/main/x'))[1]).toBe('EntryNotFound');
    expect((await told(ada, '/hf/ada/robots/resolve/main/arm%2F..%2Farm%2Farm.urdf'))[1]).toBe(
      'EntryNotFound',
    );
  });

  test('lists show what a viewer may list, by owner and by words', async () => {
    const ids = async (who: Actor, query: string) =>
      (await who.get<{ id: string }[]>(`/hf/api/datasets?${query}`)).body.map(({ id }) => id).sort();
    expect(await ids(service.anonymous, 'author=ada')).toEqual(['ada/robots']);
    expect(await ids(ada, 'author=ada&search=RoB')).toEqual(['ada/robots', 'ada/secret']);
    expect(await ids(ada, 'author=nobody')).toEqual([]);
  });

  test('whoever cannot publish changes nothing, and learns nothing of what is hidden', async () => {
    const addition = { key: 'file', value: { path: 'arm/x', content: '', encoding: 'base64' } };
    const readOnly = await service.token('ada', { scope: 'read' });
    const before = await info(ada, 'models/ada/robots');
    const statuses = async (who: Actor) => [
      (await commit(who, 'ada/robots', addition)).status,
      (await commit(who, 'ada/secret', addition)).status,
      (await commit(who, 'ada/nothing', addition)).status,
    ];
    expect(await statuses(service.anonymous)).toEqual([401, 401, 401]);
    expect(await statuses(await service.stranger())).toEqual([403, 404, 404]);
    expect(await statuses(readOnly)).toEqual([403, 403, 403]);
    expect(await info(ada, 'models/ada/robots')).toEqual(before);
  });

  test('a commit that names a path outside, a lost file or an old parent changes nothing', async () => {
    const before = await info(ada, 'models/ada/robots');
    const add = (path: string) => ({ key: 'file', value: { path, content: '', encoding: 'base64' } });
    const lost = { key: 'lfsFile', value: { path: 'arm/x', algo: 'sha256', oid: 'a'.repeat(64), size: 3 } };
    const header = { key: 'header', value: { summary: '', parentCommit: '0'.repeat(40) } };
    const answers = [
      await commit(ada, 'ada/robots', add('../x')),
      await commit(ada, 'ada/robots', add('.bindery/manifest.json')),
      await commit(ada, 'ada/robots', lost),
      await commit(ada, 'ada/robots', header, add('arm/x')),
      await commit(ada, 'ada/robots', { key: 'nonsense' }),
      await commit(ada, 'ada/robots', ...Array.from({ length: 25_002 }, () => add('arm/x'))),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 409, 412, 400, 400]);
    expect(await info(ada, 'models/ada/robots')).toEqual(before);
  });

  test('a name that no library may have creates nothing', async () => {
    for (const name of ['Bad Name', '', '../x']) {
      const created = await ada.post('/hf/api/repos/create', { name, organization: 'ada', type: 'dataset' });
      expect([name, created.status, created.body.parameter]).toEqual([name, 400, 'name']);
    }
    const objects = [{ oid: 'a'.repeat(64), size: 10 }];
    const batch = { operation: 'upload', objects };
    const bad = await ada.post('/hf/datasets/ada/Bad%20Name.git/info/lfs/objects/batch', batch);
    expect([bad.status, bad.body.parameter]).toEqual([400, 'name']);
    const names = await service.context.db.selectFrom('library_names').select('name').execute();
    expect(names.map(({ name }) => name)).not.toContain('');
    const good = await ada.post('/hf/datasets/ada/robots.git/info/lfs/objects/batch', batch);
    expect(good.body).toMatchObject({ objects: [{ ...objects[0], actions: { upload: {} } }] });
  });
});
