import { execFileSync } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { linkSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { routes } from '@bindery/contract';
import { describe, expect, test } from 'vitest';
import { publish } from '../../../server/test/libraries/publish.ts';
import { startService } from '../../../server/test/service.ts';
import { type ImportOptions, importLibrary } from '../../src/import/import-library.ts';
import { UpstreamRequests } from '../../src/import/requests.ts';
import { libraryParams } from '../../src/index.ts';
import { folderWith, temporaryFolder, writeFiles } from '../folder.ts';
import { ADDRESS, type Publisher, publishers, serviceForOneTest } from '../push/publisher.ts';
import { Repository, serve, serveFolder, serveGit } from './sources.ts';

const ARM = '<mujoco model="arm"><worldbody><geom size="1"/></worldbody></mujoco>';
const HAND = '<mujoco model="hand"><worldbody><geom size="2"/></worldbody></mujoco>';

async function ann(): Promise<Publisher> {
  const [publisher] = (await publishers(1)) as [Publisher];
  return publisher;
}

const bring = ({ client, options }: Publisher, source: string, more: Partial<ImportOptions> = {}) =>
  importLibrary(client, ADDRESS, source, { ...options, ...more });

async function detailOf({ client }: Publisher, assetId: string) {
  const params = { ...libraryParams(ADDRESS), assetId };
  return client.call(routes.libraries.getAsset, { params });
}

describe('an import from git', () => {
  test('publishes what a commit has, each asset with where it comes from', async () => {
    const repository = new Repository();
    const first = repository.commit({ 'arm/arm.xml': ARM, 'hand/hand.xml': HAND, LICENSE: 'MIT License' });
    repository.git('tag', 'v1');
    repository.commit({ 'arm/arm.xml': HAND });
    const publisher = await ann();
    const source = `git+${await serveGit(repository)}`;
    const result = await bring(publisher, `${source}@v1`);
    expect(result).toMatchObject({ status: 'published', sourceRevision: first, fetched: { files: 3 } });
    const { upstream, meta } = await detailOf(publisher, 'arm');
    expect(upstream?.url).toBe(`${source.slice(4, -4)}/blob/${first}/arm/arm.xml`);
    expect(meta.import).toMatchObject({ source: source.slice(4), revision: first });
    const library = await publisher.client.call(routes.libraries.getLibrary, {
      params: libraryParams(ADDRESS),
    });
    expect(library).toMatchObject({ upstreamRepo: source.slice(4), upstreamCommit: first });
  });

  test('fetches only what changed, leaves the origin of the rest, and keeps what the source took away', async () => {
    const repository = new Repository();
    const first = repository.commit({ 'arm/arm.xml': ARM, 'hand/hand.xml': HAND, 'leg/leg.xml': HAND });
    const publisher = await ann();
    const source = `git+file://${repository.folder}`;
    await bring(publisher, source);
    expect(await bring(publisher, source)).toMatchObject({ status: 'unchanged', fetched: { files: 0 } });
    const second = repository.commit({ 'hand/hand.xml': `${HAND}\n`, 'leg/leg.xml': null });
    expect(await bring(publisher, source)).toMatchObject({
      status: 'published',
      fetched: { files: 1 },
      assets: { changed: ['hand'], removed: [], added: [] },
      gone: ['leg'],
    });
    expect((await detailOf(publisher, 'arm')).meta.import).toMatchObject({ revision: first });
    expect((await detailOf(publisher, 'hand')).meta.import).toMatchObject({ revision: second });
    expect(await bring(publisher, source, { prune: true })).toMatchObject({ assets: { removed: ['leg'] } });
  });

  test('is sent nothing again of what did not change', async () => {
    const repository = new Repository();
    const noise = randomBytes(150_000).toString('base64');
    repository.commit({ 'arm/arm.xml': ARM, 'arm/noise.obj': noise });
    const publisher = await ann();
    const source = `git+${await serveGit(repository)}`;
    await bring(publisher, source);
    expect(Math.max(...repository.sent.splice(0))).toBeGreaterThan(100_000);
    expect(await bring(publisher, source)).toMatchObject({ status: 'unchanged' });
    expect(Math.max(...repository.sent.splice(0))).toBeLessThan(2_000);
    repository.commit({ 'arm/arm.xml': HAND });
    expect(await bring(publisher, source)).toMatchObject({ assets: { changed: ['arm'] } });
    expect(Math.max(...repository.sent)).toBeLessThan(2_000);
  });

  test('leaves alone what comes from elsewhere, also on another machine', async () => {
    const [arms, hands] = [new Repository(), new Repository()];
    arms.commit({ 'arm/arm.xml': ARM, 'leg/leg.xml': ARM });
    hands.commit({ 'hand/hand.xml': HAND });
    const [publisher, other] = (await publishers(2)) as [Publisher, Publisher];
    await bring(publisher, `git+file://${arms.folder}`);
    await bring(publisher, `git+file://${hands.folder}`);
    arms.commit({ 'arm/arm.xml': HAND, 'leg/leg.xml': null });
    expect(await bring(other, `git+file://${arms.folder}`, { prune: true })).toMatchObject({
      assets: { added: [], changed: ['arm'], removed: ['leg'], unchanged: 1 },
    });
  });

  test('stops at a history that was rewritten', async () => {
    const repository = new Repository();
    repository.commit({ 'arm/arm.xml': ARM });
    const publisher = await ann();
    const source = `git+${await serveGit(repository)}`;
    await bring(publisher, source);
    repository.git('checkout', '--quiet', '--orphan', 'other');
    repository.commit({ 'arm/arm.xml': HAND });
    repository.git('branch', '--quiet', '-M', 'main');
    await expect(bring(publisher, source)).rejects.toThrow(
      /was rewritten, or this is an earlier revision of it: [0-9a-f]{40} does not follow/,
    );
    expect(await bring(publisher, source, { force: true })).toMatchObject({ assets: { changed: ['arm'] } });
    repository.commit({ 'arm/arm.xml': ARM });
    expect(await bring(publisher, source)).toMatchObject({ assets: { changed: ['arm'] } });
  });

  test('brings files of LFS from the server of the repository itself, and verifies them', async () => {
    const mesh = `solid ${'x'.repeat(5_000)}`;
    const pointer = (oid: string) =>
      `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${mesh.length}\n`;
    const repository = new Repository();
    repository.commit({
      '.gitattributes': '*.stl filter=lfs diff=lfs merge=lfs -text\n',
      '.lfsconfig': '[lfs]\nurl = http://169.254.169.254/latest\n',
      'arm/arm.xml': ARM,
      'arm/mesh.stl': pointer(hash('sha256', mesh)),
    });
    const publisher = await ann();
    const result = await bring(publisher, `git+${await serveGit(repository, { mesh })}`);
    expect(result.status).toBe('published');
    const { files } = (await detailOf(publisher, 'arm')) as unknown as {
      files: { path: string; size: number }[];
    };
    expect(files).toContainEqual(expect.objectContaining({ path: 'arm/mesh.stl', size: mesh.length }));
    repository.commit({ 'arm/mesh.stl': pointer('0'.repeat(64)) });
    await expect(bring(publisher, `git+${await serveGit(repository, { mesh })}`)).rejects.toThrow(
      /LFS server has no/,
    );
  });

  test('waits for nobody: a second one of the same source is refused while the first runs', async () => {
    const repository = new Repository();
    repository.commit({ 'arm/arm.xml': ARM });
    const publisher = await ann();
    const source = `git+file://${repository.folder}`;
    const both = await Promise.allSettled([bring(publisher, source), bring(publisher, source)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await bring(publisher, source)).toMatchObject({ status: 'unchanged' });
  });

  test('leaves out links and submodules, and says so', async () => {
    const repository = new Repository();
    repository.commit({ 'arm/arm.xml': ARM });
    const id = repository.git('hash-object', '-w', 'arm/arm.xml');
    repository.git('update-index', '--add', '--cacheinfo', `120000,${id},arm/link.xml`);
    repository.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},vendor`);
    repository.git('commit', '--quiet', '--message', 'Links');
    const { notImported } = await bring(await ann(), `git+file://${repository.folder}`);
    expect(notImported).toEqual([
      { path: 'arm/link.xml', reason: 'a link' },
      { path: 'vendor', reason: 'a submodule, which is another source' },
    ]);
  });
});

describe('an import from Hugging Face', () => {
  test('brings a library of another service as its clients see it', async () => {
    const source = await serviceForOneTest();
    const owner = await source.member('olga');
    const content = 'x'.repeat(3_000);
    await publish(owner, 'olga/arms', {
      visibility: 'public',
      assets: [
        { id: 'arm', kind: 'file', files: { 'arm/arm.xml': ARM } },
        { id: 'scan', kind: 'file', files: { 'scan/größe 1.ply': content } },
      ],
    });
    const publisher = await ann();
    const environment = { HF_ENDPOINT: `${source.url}/hf` };
    const result = await bring(publisher, 'hf:datasets/olga/arms', { environment });
    expect(result).toMatchObject({ status: 'published', assets: { added: ['arm', 'scan'] } });
    expect((await detailOf(publisher, 'scan')).upstream?.url).toBe(
      `${source.url}/hf/datasets/olga/arms/resolve/${result.sourceRevision}/scan/gr%C3%B6%C3%9Fe%201.ply`,
    );
    expect(await bring(publisher, 'hf:datasets/olga/arms', { environment })).toMatchObject({
      status: 'unchanged',
      fetched: { files: 0 },
    });
  });
});

describe('an import from Gazebo Fuel', () => {
  test('brings the models of a collection with their licences', async () => {
    const source = await startService();
    const owner = await source.member('olga');
    const model = (name: string) => ({
      [`${name}/model.sdf`]: `<sdf version="1.9"><model name="${name}"><link name="l"/></model></sdf>`,
    });
    await publish(owner, 'olga/cafe', {
      visibility: 'public',
      assets: ['chair', 'table'].map((id) => ({
        id,
        kind: 'sdf',
        license: 'Creative Commons Attribution 4.0 International',
        files: model(id),
      })),
    });
    const publisher = await ann();
    const result = await bring(publisher, `${source.url}/1.0/olga/collections/cafe`);
    expect(result).toMatchObject({ status: 'published', fetched: { files: 2 } });
    expect(result.assets.added).toHaveLength(2);
    const [id = ''] = result.assets.added;
    expect(await detailOf(publisher, id)).toMatchObject({ license: 'CC-BY-4.0', attribution: 'olga' });
    const again = await bring(publisher, `${source.url}/1.0/olga/collections/cafe`);
    expect(again).toMatchObject({ status: 'unchanged', fetched: { files: 0 } });
    await source.close();
    await expect(bring(publisher, `${source.url}/1.0/olga/collections/cafe`)).rejects.toThrow(
      /Could not reach/,
    );
  });
});

describe('an import from another Bindery', () => {
  test('brings its assets as it knows them, with where they came from before', async () => {
    const source = await serviceForOneTest();
    const owner = await source.member('olga');
    const arm = {
      id: 'lifter',
      kind: 'mjcf',
      title: 'Lifter',
      upstream: { url: 'https://first.example/arm.xml' },
    };
    await publish(owner, 'olga/arms', {
      assets: [
        { ...arm, entry: 'arm/arm.xml', files: { 'arm/arm.xml': ARM } },
        { id: 'scan', kind: 'file', license: 'MIT', files: { 'scan/größe 1.ply': 'x' } },
      ],
    });
    const publisher = await ann();
    await expect(bring(publisher, `${source.url}/olga/arms`)).rejects.toThrow(/answered 401/);
    const environment = { BINDERY_SOURCE_TOKEN: owner.headers.authorization?.slice('Bearer '.length) };
    const result = await bring(publisher, `${source.url}/olga/arms`, { environment });
    expect(result).toMatchObject({ status: 'published', assets: { added: ['lifter', 'scan'] } });
    const about = { source: `${source.url}/olga/arms`, revision: result.sourceRevision };
    expect(await detailOf(publisher, 'lifter')).toMatchObject({
      ...{ kind: 'mjcf', title: 'Lifter', upstream: arm.upstream },
      meta: { import: about },
    });
    expect(await detailOf(publisher, 'scan')).toMatchObject({
      license: 'MIT',
      upstream: { url: `${source.url}/raw/olga/arms/scan/gr%C3%B6%C3%9Fe%201.ply` },
    });
    expect(await bring(publisher, `${source.url}/olga/arms`, { environment })).toMatchObject({
      status: 'unchanged',
      fetched: { files: 0 },
    });
  });
});

describe('an import of an archive', () => {
  const opened = async (bytes: Buffer, name = 'robots.tar.gz') =>
    `${await serve((_, response) => response.end(bytes))}/${name}`;

  test.each(['tar.gz', 'tar', 'zip'])(
    'made by git as %s has the paths of the repository, also long ones',
    async (format) => {
      const repository = new Repository();
      const long = `arm/${'deep/'.repeat(40)}mesh.obj`;
      repository.commit({ 'arm/arm.xml': ARM, [long]: 'v 0 0 0\n', 'arm/größe 1.obj': '', LICENSE: 'MIT' });
      const file = join(temporaryFolder(), 'archive');
      repository.git('archive', '--prefix=arms-main/', `--format=${format}`, `--output=${file}`, 'HEAD');
      const publisher = await ann();
      const source = await opened(readFileSync(file), `arms.${format}`);
      expect(await bring(publisher, source)).toMatchObject({ status: 'published', fetched: { files: 1 } });
      const { files } = (await detailOf(publisher, 'arm')) as unknown as { files: { path: string }[] };
      expect(files.map(({ path }) => path)).toEqual(
        expect.arrayContaining(['arm/arm.xml', long, 'arm/größe 1.obj']),
      );
      expect(await bring(publisher, source)).toMatchObject({ status: 'unchanged' });
    },
  );

  /** Packs a folder with GNU's tar. */
  const packed = (folder: string, ...words: string[]) =>
    execFileSync('tar', ['-cz', '-C', folder, ...words], { maxBuffer: 2 ** 30 });

  test('says which links and hidden files it leaves out, also the next time', async () => {
    const folder = folderWith({ 'arm/arm.xml': ARM, 'arm/.secret': 'x' });
    symlinkSync('/etc/passwd', join(folder, 'arm', 'link.xml'));
    linkSync(join(folder, 'arm', 'arm.xml'), join(folder, 'arm', 'same.xml'));
    const source = await opened(packed(folder, '--sort=name', '.'));
    const publisher = await ann();
    const leftOut = [
      { path: 'arm/link.xml', reason: 'a link' },
      { path: 'arm/same.xml', reason: 'a link' },
      { path: 'arm/.secret', reason: 'hidden' },
    ];
    expect(await bring(publisher, source)).toMatchObject({ status: 'published', notImported: leftOut });
    expect(await bring(publisher, source)).toMatchObject({ status: 'unchanged', notImported: leftOut });
  });

  test.each([
    ['an absolute name', ['-P', '--transform=s|arm|/tmp/arm|']],
    ['a name that leads out of the folder', ['-P', '--transform=s|arm|../arm|']],
  ])('with %s is refused, and nothing is published', async (_, words) => {
    const source = await opened(packed(folderWith({ 'arm/arm.xml': ARM }), ...words, 'arm'));
    const publisher = await ann();
    await expect(bring(publisher, source)).rejects.toThrow(/The source has a file/);
    await expect(detailOf(publisher, 'arm')).rejects.toThrow();
  });

  test('that unpacks to more than 2 GiB is refused without unpacking it', async () => {
    const bomb = gzipSync(Buffer.concat([tarHeader('arm/arm.xml', 2 ** 32), Buffer.alloc(2 ** 24)]));
    await expect(bring(await ann(), await opened(bomb))).rejects.toThrow(/is an archive of more than 2 GiB/);
  });

  test.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['no archive', () => Buffer.from('<html>')],
    ['changed', (bytes: Buffer) => Buffer.from(bytes).fill(7, 100, 120)],
  ])('that is %s is refused', async (_, damage) => {
    const bytes = packed(folderWith({ 'arm/arm.xml': randomBytes(9_000).toString('hex') }), 'arm');
    await expect(bring(await ann(), await opened(damage(bytes)))).rejects.toThrow(
      /archive is damaged|damaged archive/,
    );
  });

  test('with a file that is a folder too is refused', async () => {
    const bytes = Buffer.concat([tarHeader('arm', 0), tarHeader('arm/arm.xml', 0), Buffer.alloc(1_024)]);
    await expect(bring(await ann(), await opened(bytes, 'a.tar'))).rejects.toThrow(
      'is a file and a folder in the source',
    );
  });

  function tarHeader(name: string, size: number): Buffer {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write(size.toString(8).padStart(11, '0'), 124);
    header.write('0', 156);
    header.fill(' ', 148, 156);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return header;
  }
});

describe('an import from a web server', () => {
  test('brings a folder that it lists, and later what changed in it', async () => {
    const folder = folderWith({ 'arm/arm.xml': ARM, 'arm/näme & 1.obj': 'o', 'hand/hand.xml': HAND });
    const address = await serveFolder(folder);
    const publisher = await ann();
    expect(await bring(publisher, address)).toMatchObject({ status: 'published', fetched: { files: 3 } });
    expect(await bring(publisher, address)).toMatchObject({ status: 'unchanged', fetched: { files: 0 } });
    writeFiles(folder, { 'hand/hand.xml': `${HAND}<!-- -->` });
    expect(await bring(publisher, address)).toMatchObject({
      fetched: { files: 1 },
      assets: { changed: ['hand'] },
    });
  });

  test('goes on where a large file was cut off, if it is still the same', async () => {
    const content = Buffer.alloc(300_000, 'abcdefg');
    const ranges: (string | undefined)[] = [];
    const conditions: (string | undefined)[] = [];
    const address = await serve(async (request, response) => {
      if (request.url?.endsWith('/'))
        return response.setHeader('content-type', 'text/html').end('<a href="scan.ply">');
      const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
      response.setHeader('content-length', content.length - from).setHeader('etag', '"1"');
      if (request.method === 'HEAD') return response.end();
      ranges.push(request.headers.range);
      conditions.push(request.headers['if-range'] as string | undefined);
      if (from > 0) response.writeHead(206, { 'content-range': `bytes ${from}-299999/300000` });
      if (ranges.length > 1) return response.end(content.subarray(from));
      response.write(content.subarray(0, 100_000));
      await once(response, 'drain').catch(() => {});
      setTimeout(() => response.destroy(), 200);
    });
    const publisher = await ann();
    expect(await bring(publisher, `${address}/models/`)).toMatchObject({ status: 'published' });
    expect(ranges).toEqual([undefined, 'bytes=100000-']);
    expect(conditions).toEqual(['"1"', '"1"']);
    const { files } = (await detailOf(publisher, 'scan.ply')) as unknown as { files: { sha256: string }[] };
    expect(files[0]?.sha256).toBe(hash('sha256', content));
  });
});

describe('an import of a list of addresses', () => {
  test('verifies each, and publishes nothing if one differs', async () => {
    const address = await serve((request, response) =>
      response.end(request.url?.startsWith('/arm.xml') ? ARM : 'other'),
    );
    const list = join(temporaryFolder(), 'files.txt');
    const publisher = await ann();
    writeFileSync(list, `${hash('sha256', ARM)}  ${address}/arm.xml?signature=secret arm/arm.xml\n`);
    expect(await bring(publisher, `list:${list}`)).toMatchObject({
      status: 'published',
      assets: { added: ['arm'] },
    });
    const { upstream, meta } = await detailOf(publisher, 'arm');
    expect(upstream?.url).toBe(`${address}/arm.xml`);
    expect(meta.import).toMatchObject({ source: 'list:files.txt' });
    writeFileSync(
      list,
      `${hash('sha256', ARM)} ${address}/arm.xml arm/arm.xml\n${'0'.repeat(64)} ${address}/b.xml b/b.xml\n`,
    );
    await expect(bring(publisher, `list:${list}`)).rejects.toThrow(
      'b/b.xml is not what the source says that it is',
    );
  });
});

describe('a hostile source', () => {
  const page = (links: string) => (response: import('node:http').ServerResponse) =>
    response.setHeader('content-type', 'text/html').end(links);

  test('an address that somebody else names leads into no network of this machine', async () => {
    const address = await serve((_, response) => response.end('secret'));
    const requests = new UpstreamRequests();
    await expect(requests.get(address, { namedBy: 'http://192.0.2.1/' })).rejects.toThrow(
      /192\.0\.2\.1 leads to 127\.0\.0\.1:\d+, an address in a network of this machine/,
    );
    await requests.close();
  });

  test('names that are not encoded as addresses are read as they are', async () => {
    const address = await serve((request, response) =>
      request.url?.endsWith('/')
        ? page('<a href="arm%E0%A4%A.xml">')(response)
        : response.end(request.method === 'HEAD' ? undefined : ARM),
    );
    expect(await bring(await ann(), `${address}/models/`)).toMatchObject({ fetched: { files: 1 } });
  });

  test('an answer of another form is refused in words', async () => {
    const address = await serve((_, response) => response.end('{"sha": 5}'));
    await expect(bring(await ann(), 'hf:a/b', { environment: { HF_ENDPOINT: address } })).rejects.toThrow(
      /does not answer as this kind of source does/,
    );
  });

  test.each([
    ['../up.xml', 'leads out of the folder'],
    ['http://169.254.169.254/latest', 'leads to another host'],
    ['javascript:alert(1)', 'is no address'],
  ])('a link %s is not followed, which %s', async (link) => {
    const asked: string[] = [];
    const address = await serve((request, response) => {
      asked.push(request.url ?? '');
      if (request.url?.endsWith('/')) return page(`<a href="${link}"><a href="arm.xml">`)(response);
      return response.end(request.method === 'HEAD' ? undefined : ARM);
    });
    expect(await bring(await ann(), `${address}/models/`)).toMatchObject({ status: 'published' });
    expect(new Set(asked)).toEqual(new Set(['/models/', '/models/arm.xml']));
  });

  test('folders without an end are refused', async () => {
    const address = await serve((_, response) => page('<a href="deeper/">')(response));
    await expect(bring(await ann(), `${address}/models/`)).rejects.toThrow('has folders without an end');
  });

  test.each(['../escape.xml', '/etc/passwd', 'a\\b.xml', 'a/../../b.xml', `${'n'.repeat(300)}.xml`])(
    'a file called %j is refused, and nothing is published',
    async (path) => {
      const address = await serve((_, response) => response.end(ARM));
      const list = join(temporaryFolder(), 'files.txt');
      writeFileSync(list, `${hash('sha256', ARM)} ${address}/arm.xml ${path}\n`);
      const publisher = await ann();
      await expect(bring(publisher, `list:${list}`)).rejects.toThrow(/The source has a file/);
      await expect(
        publisher.client.call(routes.libraries.getLibrary, { params: libraryParams(ADDRESS) }),
      ).rejects.toThrow();
    },
  );

  test('a redirect that goes on and on is refused', async () => {
    const address = await serve((request, response) =>
      response.writeHead(302, { location: `${request.url}x/` }).end(),
    );
    await expect(bring(await ann(), `${address}/models/`)).rejects.toThrow('redirects too often');
  });

  test.each([
    'ftp://example.org/a/',
    'nothing',
    'hf:onlyone',
    'https://example.org/page',
    's3://UPPER/x',
    'fuel:a/b/c/d/e',
  ])('the address %s is refused in words', async (source) => {
    await expect(bring(await ann(), source)).rejects.toThrow(/invalid source ".*": expected /);
  });

  test('a source that disappears leaves the library as it is', async () => {
    const repository = new Repository();
    repository.commit({ 'arm/arm.xml': ARM });
    const publisher = await ann();
    const source = `git+file://${repository.folder}`;
    await bring(publisher, source);
    rmSync(repository.folder, { recursive: true });
    await expect(bring(publisher, source)).rejects.toThrow(/git fetch failed/);
    expect(await detailOf(publisher, 'arm')).toMatchObject({ id: 'arm' });
  });
});
