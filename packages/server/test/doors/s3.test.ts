import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { canonicalQuery, encode, SignatureV4, UNSIGNED_PAYLOAD } from '../../src/signature-v4.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { exchange, type Received } from '../exchange.ts';
import { publish, sha256, type WrittenLibrary } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';

const TRAPS = [
  ' a  b ',
  '%41.txt',
  'a&b<c>"\'.txt',
  'a+b?c#d=e.txt',
  'e\u0301 \u00e9.txt',
  '\u202etxt.exe',
  '\ufffe\uffff',
  '\u{1f600}.txt',
  '(!*~).txt',
  '..a',
].map((name) => `traps/${name}`);

const robots: WrittenLibrary = {
  assets: [
    { id: 'arm', files: { 'arm/arm.urdf': '<robot/>', 'arm/meshes/a.stl': 'a mesh', 'arm/none': '' } },
    {
      id: 'zoo',
      files: { 'Zoo/a': '1', 'Zoo.txt': '2', 'zoo/b/c/d': '3', 'zoo/b.c': '4', '\u00e4rm/b': '5' },
    },
    { id: 'traps', files: Object.fromEntries(TRAPS.map((path) => [path, path])) },
  ],
  generated: { '.bindery/source/README.md': '# Robots', '.bindery/thumbs/arm.webp': 'a picture' },
};
const bytewise = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
const KEYS = [...robots.assets.flatMap(({ files }) => Object.keys(files)), 'README.md'].sort(bytewise);

interface Signer {
  accessKeyId: string;
  secretAccessKey: string;
}

/** The keys of a token, as `docs/doors.md` has a shell derive them. */
function keysOf(actor: Actor): Signer {
  const hash = sha256(Buffer.from(actor.headers.authorization!.slice('Bearer '.length)));
  return { accessKeyId: hash.slice(0, 20), secretAccessKey: hash.slice(20) };
}

interface Asked {
  method?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  signer?: Signer | null;
  /** Milliseconds since 1970. */
  at?: number;
  host?: string;
}

describe.each(databases)("S3's protocol on $name", ({ open }) => {
  let service: TestService;
  let ada: Actor;
  let keys: Signer;

  beforeAll(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
    keys = keysOf(ada);
    await publish(ada, 'ada/robots', { ...robots, visibility: 'public' });
    await publish(ada, 'ada/secret', robots);
    await ada.post('/namespaces/ada/libraries/robots/releases', { name: 'v1.0' });
  });
  afterAll(() => service.close());

  function ask(path: string, asked: Asked = {}): Promise<Received> {
    const { method = 'GET', query = {}, headers = {}, signer = keys, at = Date.now() } = asked;
    const url = new URL(service.url);
    const pathname = `/s3${path.split('/').map(encode).join('/')}`;
    const search = Object.keys(query).length === 0 ? '' : `?${canonicalQuery(query)}`;
    const place = { protocol: url.protocol, host: asked.host ?? url.host, pathname };
    const signed =
      signer === null
        ? headers
        : new SignatureV4(() => signer, 'eu-south-9').authorize(
            { method, url: place, query, headers, payload: UNSIGNED_PAYLOAD },
            at,
          );
    return exchange(service.url + pathname + search, { method, headers: signed });
  }
  const text = async (path: string, asked?: Asked) => (await ask(path, asked)).bytes.toString();
  const told = async (path: string, asked?: Asked) => {
    const { status, bytes, headers } = await ask(path, asked);
    const body = bytes.toString().replace(/<RequestId>.*<\/RequestId>/, '');
    return { status, code: /<Code>(.*)<\/Code>/.exec(body)?.[1], body, type: headers.get('content-type') };
  };
  const all = (xml: string, name: string) =>
    [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, value = '']) => value);
  const decoded = (xml: string, name: string) => all(xml, name).map(decodeURIComponent);

  test('what a token signs reads what the token reads, whatever the region', async () => {
    for (const bucket of ['ada.secret', 'ada.robots', 'ada.robots.at.v1.0', 'ada.robots.at.latest'])
      expect([bucket, await text(`/${bucket}/arm/arm.urdf`)]).toEqual([bucket, '<robot/>']);
    expect(await text('/ada.robots/README.md', { signer: null })).toBe('# Robots');
    const bearer = { signer: null, headers: { ...ada.headers } };
    expect(await text('/ada.secret/arm/arm.urdf', bearer)).toBe('<robot/>');
  });

  test('a file has its SHA-256 as entity tag, and as checksum for clients that verify', async () => {
    for (const method of ['GET', 'HEAD']) {
      const headers = { 'x-amz-checksum-mode': 'ENABLED' };
      const { headers: answered, bytes } = await ask('/ada.secret/arm/meshes/a.stl', { method, headers });
      const hash = sha256(Buffer.from('a mesh'));
      expect(Object.fromEntries(answered)).toMatchObject({
        etag: `"${hash}"`,
        'content-length': '6',
        'accept-ranges': 'bytes',
        'x-amz-checksum-sha256': Buffer.from(hash, 'hex').toString('base64'),
      });
      expect(answered.get('last-modified')).not.toBeNull();
      expect(answered.get('x-amz-request-id')).toBe(answered.get('x-request-id'));
      expect(bytes.toString()).toBe(method === 'GET' ? 'a mesh' : '');
    }
  });

  test.each([
    ['range', 'bytes=2-3', 206, 'me'],
    ['range', 'bytes=-2', 206, 'sh'],
    ['range', 'bytes=9-', 416, 'InvalidRange'],
    ['if-match', '"other"', 412, 'PreconditionFailed'],
    ['if-match', `"${sha256(Buffer.from('a mesh'))}"`, 200, 'a mesh'],
    ['if-none-match', `"${sha256(Buffer.from('a mesh'))}"`, 304, undefined],
    ['if-none-match', '"other"', 200, 'a mesh'],
    ['if-modified-since', 'Sat, 29 Oct 1994 19:43:31 GMT', 200, 'a mesh'],
    ['if-modified-since', 'Sat, 29 Oct 2094 19:43:31 GMT', 304, undefined],
    ['if-unmodified-since', 'Sat, 29 Oct 1994 19:43:31 GMT', 412, 'PreconditionFailed'],
    ['if-unmodified-since', 'Sat, 29 Oct 2094 19:43:31 GMT', 200, 'a mesh'],
  ])('%s: %s is answered %i', async (name, value, status, expected) => {
    const answer = await told('/ada.secret/arm/meshes/a.stl', { headers: { [name]: value } });
    expect([answer.status, answer.code ?? (answer.body || undefined)]).toEqual([status, expected]);
  });

  test('what is not sent has no checksum', async () => {
    const known = { 'if-none-match': `"${sha256(Buffer.from('a mesh'))}"`, 'x-amz-checksum-mode': 'ENABLED' };
    const { status, headers } = await ask('/ada.secret/arm/meshes/a.stl', { headers: known });
    expect([status, headers.get('x-amz-checksum-sha256')]).toEqual([304, null]);
  });

  test('an empty file has no range', async () => {
    expect(await text('/ada.secret/arm/none')).toBe('');
    const { code } = await told('/ada.secret/arm/none', { headers: { range: 'bytes=0-0' } });
    expect(code).toBe('InvalidRange');
  });

  test('keys come in the order of their bytes, with all that is in the pushed folder and nothing else', async () => {
    for (const query of [{ 'list-type': '2' }, {}] as Record<string, string>[]) {
      const xml = await text('/ada.secret', { query: { ...query, 'encoding-type': 'url' } });
      expect(decoded(xml, 'Key')).toEqual(KEYS);
      expect(all(xml, 'IsTruncated')).toEqual(['false']);
    }
    const plain = await text('/ada.secret', { query: { prefix: 'traps/a&', 'list-type': '2' } });
    expect(plain).toContain("<Key>traps/a&#38;b&#60;c&#62;&#34;'.txt</Key>");
  });

  test('every file is read by the key that the list has', async () => {
    for (const key of KEYS.filter((key) => key.startsWith('traps/')))
      expect([key, await text(`/ada.secret/${key}`)]).toEqual([key, key]);
  });

  test('any prefix, delimiter, place to begin and size of pages gives what a list of all keys says', async () => {
    const query = fc.record({
      prefix: fc.constantFrom('', '', 'zoo/', 'zoo/b', 'arm', 'R', 'README.md', 't', '\u00e4', 'none'),
      delimiter: fc.constantFrom('/', '/', '', 'b/', '.', 'a', 'E'),
      after: fc.constantFrom(
        '',
        'zoo/b',
        'zoo/',
        'arm/m',
        'Zoo',
        'Zoo.',
        'README.md',
        'traps/a',
        '\u{1f600}',
      ),
      limit: fc.integer({ min: 1, max: 30 }),
    });
    await fc.assert(
      fc.asyncProperty(query, fc.boolean(), async ({ prefix, delimiter, after, limit }, isSecond) => {
        const found: string[] = [];
        let next: string | undefined = after;
        let place: Record<string, string> = { [isSecond ? 'start-after' : 'marker']: after };
        while (next !== undefined) {
          const xml = await text('/ada.secret', {
            query: {
              ...{ prefix, delimiter, 'max-keys': String(limit), 'encoding-type': 'url', ...place },
              ...(isSecond && { 'list-type': '2' }),
            },
          });
          const page = [...decoded(xml, 'Key'), ...decoded(xml, 'Prefix').slice(1)];
          expect(page.length).toBeLessThanOrEqual(limit);
          found.push(...page.sort(bytewise));
          [next] = isSecond ? all(xml, 'NextContinuationToken') : decoded(xml, 'NextMarker');
          place = { [isSecond ? 'continuation-token' : 'marker']: next ?? '' };
        }
        expect(found).toEqual(entriesOf({ prefix, delimiter, after }));
      }),
      { numRuns: 150 },
    );
  });

  test.each([
    ['max-keys', '-1'],
    ['max-keys', 'many'],
    ['encoding-type', 'base64'],
    ['continuation-token', 'not one'],
  ])('%s=%s is refused', async (name, value) => {
    const { status, code } = await told('/ada.secret', { query: { 'list-type': '2', [name]: value } });
    expect([status, code]).toEqual([400, 'InvalidArgument']);
  });

  test('a bucket is there, and says where', async () => {
    const head = await ask('/ada.secret', { method: 'HEAD' });
    expect([head.status, head.headers.get('x-amz-bucket-region')]).toEqual([200, 'us-east-1']);
    expect(await text('/ada.secret', { query: { location: '' } })).toMatch(/<LocationConstraint [^>]*><\/L/);
  });

  test('the list of buckets has what the viewer may list, in pages', async () => {
    const names = async (asked?: Asked) => all(await text('/', asked), 'Name');
    expect((await names()).sort()).toEqual(['ada.robots', 'ada.secret']);
    expect(await names({ signer: null })).toEqual(['ada.robots']);
    expect(await names({ signer: keysOf(await service.stranger()) })).toEqual(['ada.robots']);
    const first = await text('/', { query: { 'max-buckets': '1' } });
    const [token = ''] = all(first, 'ContinuationToken');
    expect((await told('/', { query: { 'max-buckets': '0' } })).code).toBe('InvalidArgument');
    const rest = await names({ query: { 'max-buckets': '1', 'continuation-token': token } });
    expect([...all(first, 'Name'), ...rest].sort()).toEqual(['ada.robots', 'ada.secret']);
  });

  test('a library whose name looks like one of a release is told apart', async () => {
    await publish(ada, 'ada/robots.at.v2', { assets: [{ id: 'a', files: { other: 'other' } }] });
    expect(all(await text('/'), 'Name')).toContain('ada.robots.at.v2.at.latest');
    expect(await text('/ada.robots.at.v2.at.latest/other')).toBe('other');
    expect((await told('/ada.robots.at.v2/other')).code).toBe('NoSuchBucket');
    await ada.delete('/namespaces/ada/libraries/robots.at.v2');
  });

  test('hidden and missing buckets are answered alike, whatever is asked, and whoever asks', async () => {
    const stranger = keysOf(await service.stranger());
    for (const signer of [null, stranger]) {
      const hidden = await told('/ada.secret', { signer });
      expect([hidden.status, hidden.code, hidden.type]).toEqual([404, 'NoSuchBucket', 'application/xml']);
      for (const bucket of [
        'ada.secret',
        'ada.nothing',
        'nobody.secret',
        'ada.secret.at.v9',
        'ada',
        'A..b',
      ]) {
        for (const query of [{}, { acl: '' }, { location: '' }, { 'max-keys': 'x' }] as Record<
          string,
          string
        >[])
          expect([bucket, await told(`/${bucket}`, { signer, query })]).toEqual([bucket, hidden]);
        for (const key of ['arm/arm.urdf', 'x', 'a//b', '.bindery/manifest.json'])
          expect([key, await told(`/${bucket}/${key}`, { signer })]).toEqual([key, hidden]);
        expect((await ask(`/${bucket}`, { signer, method: 'HEAD' })).status).toBe(404);
      }
    }
  });

  test('what a bucket lacks is told apart', async () => {
    expect(await told('/ada.robots.at.v9/arm/arm.urdf')).toMatchObject({ status: 404, code: 'NoSuchBucket' });
    for (const key of ['nothing', 'arm', 'arm/', 'arm//arm.urdf', 'arm\\arm.urdf'])
      expect([key, (await told(`/ada.robots/${key}`)).code]).toEqual([key, 'NoSuchKey']);
    expect(await told('/ada.robots/arm/arm.urdf', { query: { acl: '' } })).toMatchObject({ status: 405 });
  });

  test('nothing can be written', async () => {
    const before = await text('/ada.secret');
    for (const method of ['PUT', 'POST', 'DELETE', 'PATCH'])
      for (const path of ['/', '/ada.new', '/ada.secret', '/ada.secret/arm/arm.urdf', '/ada.nothing/x'])
        for (const query of [{}, { delete: '' }, { uploads: '' }] as Record<string, string>[])
          expect(await told(path, { method, query })).toMatchObject({ status: 403, code: 'AccessDenied' });
    expect(await text('/ada.secret')).toBe(before);
  });

  test('a signature is of one token, one request and one time', async () => {
    const path = '/ada.secret/arm/arm.urdf';
    const code = async (asked: Asked) => (await told(path, asked)).code;
    expect(await code({ signer: { ...keys, secretAccessKey: 'guess' } })).toBe('SignatureDoesNotMatch');
    const { accessKeyId } = keysOf(await service.stranger());
    expect(await code({ signer: { ...keys, accessKeyId } })).toBe('SignatureDoesNotMatch');
    for (const accessKeyId of ['0'.repeat(20), keys.accessKeyId.slice(1), '%', `${keys.accessKeyId}0`])
      expect(await code({ signer: { ...keys, accessKeyId } })).toBe('InvalidAccessKeyId');
    for (const minutes of [-16, 16])
      expect(await code({ at: Date.now() + minutes * 60_000 })).toBe('RequestTimeTooSkewed');
    expect(await code({ host: 'elsewhere.example.org' })).toBe('SignatureDoesNotMatch');
    for (const authorization of ['AWS4-HMAC-SHA256', 'AWS4-HMAC-SHA256 Credential=a/b', 'AWS a:b'])
      expect((await told(path, { signer: null, headers: { authorization } })).status).toBe(400);
  });

  test('a token that was revoked or has expired signs nothing', async () => {
    const { headers, url } = await service.member('eve');
    const eve = keysOf({ headers, url } as Actor);
    expect((await ask('/', { signer: eve })).status).toBe(200);
    await service.context.db
      .deleteFrom('personal_access_tokens')
      .where('token_hash', 'like', `${eve.accessKeyId}%`)
      .execute();
    expect(await told('/', { signer: eve })).toMatchObject({ status: 403, code: 'InvalidAccessKeyId' });
  });

  test('a presigned URL reads one object for its time, and has no secret in it', async () => {
    const { protocol, host } = new URL(service.url);
    const presign = (pathname: string, seconds: number, at = Date.now()) =>
      new SignatureV4(() => keys, 'us-east-1').presign(
        { method: 'GET', url: { protocol, host, pathname }, payload: UNSIGNED_PAYLOAD },
        at,
        seconds,
      );
    const read = async (url: string, method = 'GET') => (await exchange(url, { method })).status;
    const url = presign('/s3/ada.secret/arm/arm.urdf', 60);
    expect(await read(url)).toBe(200);
    expect(url).not.toContain(keys.secretAccessKey);
    for (const changed of [url.replace('arm.urdf', 'none'), `${url}&x=1`, url.replace('=60', '=61')])
      expect(await read(changed)).toBe(403);
    expect(await read(url, 'HEAD')).toBe(403);
    expect(await read(presign('/s3/ada.secret/arm/arm.urdf', 60, Date.now() - 61_000))).toBe(403);
    for (const seconds of [0, -1, 604_801, Number.NaN])
      expect(await read(presign('/s3/ada.secret/arm/arm.urdf', seconds))).toBe(403);
  });

  test('a release that ends, and a library that is withdrawn, while they are listed are not found', async () => {
    const base = '/namespaces/ada/libraries/passing';
    await publish(ada, 'ada/passing', { ...robots, visibility: 'public' });
    await ada.post(`${base}/releases`, { name: 'v1' });
    const page = async (bucket: string, token?: string) =>
      text(`/${bucket}`, {
        signer: null,
        query: { 'list-type': '2', 'max-keys': '2', ...(token && { 'continuation-token': token }) },
      });
    const [released = ''] = all(await page('ada.passing.at.v1'), 'NextContinuationToken');
    const [current = ''] = all(await page('ada.passing'), 'NextContinuationToken');
    await ada.delete(`${base}/releases/v1`);
    expect(await page('ada.passing.at.v1', released)).toContain('<Code>NoSuchBucket</Code>');
    expect(all(await page('ada.passing', current), 'Key')).toHaveLength(2);
    await ada.post(base, { visibility: 'private' });
    expect(await page('ada.passing', current)).toContain('<Code>NoSuchBucket</Code>');
    await ada.delete(base);
  });

  test('no request makes the door fail', async () => {
    const word = fc.constantFrom(
      'ada.secret',
      'ada',
      'ada.',
      '.',
      '..',
      '%2e',
      '%00',
      '%0a',
      '%ff',
      'a%2Fb',
      '\u00e4',
      '@',
      'arm',
      '',
    );
    const name = fc.constantFrom(
      'list-type',
      'prefix',
      'delimiter',
      'max-keys',
      'marker',
      'acl',
      'X-Amz-Signature',
      'X-Amz-Date',
      'X-Amz-Credential',
      'versionId',
      '%',
      'share',
    );
    const value = fc.constantFrom(
      '2',
      '',
      '%00',
      '%ff',
      '%',
      '%F0%9F%98%80',
      '9'.repeat(30),
      'a/20260101/r/s3/aws4_request',
    );
    const url = fc.tuple(fc.array(word, { maxLength: 5 }), fc.array(fc.tuple(name, value), { maxLength: 4 }));
    await fc.assert(
      fc.asyncProperty(url, async ([words, pairs]) => {
        const search = pairs.map((pair) => pair.join('=')).join('&');
        const path = encodeURI(['', 's3', ...words].join('/')).replaceAll('%25', '%');
        const { status } = await exchange(`${service.url}${path}?${search}`, {
          method: 'GET',
          headers: { authorization: ada.headers.authorization! },
        });
        expect(status).toBeLessThan(500);
      }),
      { numRuns: 300 },
    );
  });
});

test('a request is signed for the public address, though a proxy passes on another host', async () => {
  const service = await startService({ configuration: { publicUrl: 'http://assets.example.org:80' } });
  onTestFinished(() => service.close());
  const keys = keysOf(await service.member('ada'));
  const status = async (host: string) => {
    const url = { protocol: 'http:', host, pathname: '/s3/' };
    const headers = new SignatureV4(() => keys, 'us-east-1').authorize(
      { method: 'GET', url, payload: UNSIGNED_PAYLOAD },
      Date.now(),
    );
    return (await exchange(`${service.url}/s3/`, { method: 'GET', headers })).status;
  };
  expect([await status('assets.example.org'), await status('elsewhere.example.org')]).toEqual([200, 403]);
});

/** What a list has, by going through all keys. */
function entriesOf({
  prefix,
  delimiter,
  after,
}: {
  prefix: string;
  delimiter: string;
  after: string;
}): string[] {
  const entries = KEYS.filter((key) => key.startsWith(prefix)).map((key) => {
    const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    return cut < 0 ? key : key.slice(0, cut + delimiter.length);
  });
  return [...new Set(entries)].filter((entry) => bytewise(entry, after) > 0).sort(bytewise);
}
