import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { startService, type TestService } from '../service.ts';
import { sendRaw } from './raw-request.ts';

let service: TestService;
let ada: Actor;
beforeAll(async () => {
  service = await startService();
  ada = await service.member('ada');
});
afterAll(() => service.close());

test('every response has its own request id, and errors repeat it in the body', async () => {
  const [first, second] = [await ada.get('/nowhere'), await ada.get('/nowhere')];
  expect(first.body).toMatchObject({ error: 'not_found', requestId: first.headers.get('x-request-id') });
  expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
});

test('a method that a path does not support gets 405 with the allowed methods', async () => {
  const { status, headers, body } = await ada.put('/namespaces', {});
  expect({ status, allow: headers.get('allow') }).toEqual({ status: 405, allow: 'GET, HEAD, POST' });
  expect(body).toMatchObject({ error: 'method_not_allowed' });
});

test('HEAD returns the same status and length as GET, without a body', async () => {
  const get = await fetch(`${service.url}/healthz`);
  const head = await fetch(`${service.url}/healthz`, { method: 'HEAD' });
  expect(head.status).toBe(get.status);
  expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  expect(await head.text()).toBe('');
});

describe('request bodies', () => {
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(`${service.url}/namespaces`, {
      method: 'POST',
      headers: { ...ada.headers, 'content-type': 'application/json', ...headers },
      body,
    });

  test('that are not JSON are refused', async () => {
    const answer = await post('{"slug":');
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'bad_request' });
  });

  test('that are not UTF-8 are refused', async () => {
    const answer = await post(Uint8Array.of(0x22, 0xff, 0x22));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ message: 'The body is not valid UTF-8.' });
  });

  test('of another media type get 415, or 401 if the token is wrong too', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await post('slug=robots', form)).status).toBe(415);
    expect((await post('slug=robots', { ...form, authorization: 'Bearer bnd_wrong' })).status).toBe(401);
  });

  test.each(['gzip', 'br', 'Deflate', 'identity, zstd'])(
    'with the content coding %s get 415 naming it',
    async (coding) => {
      const packed = Uint8Array.from(gzipSync('{"slug": "robots"}'));
      const answer = await post(packed, { 'content-encoding': coding });
      expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'identity']);
      const body = (await answer.json()) as { error: string; message: string };
      expect(body.error).toBe('unsupported_media_type');
      expect(body.message).toContain(`the content coding "${coding}". Send it uncompressed`);
    },
  );

  test('with a content coding get 401 and 404 first, on every kind of route', async () => {
    const packed = { ...ada.headers, 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const ask = async (path: string, headers: Record<string, string> = {}) => {
      const body = Uint8Array.from(gzipSync('{}'));
      return (await fetch(service.url + path, { method: 'POST', headers: { ...packed, ...headers }, body }))
        .status;
    };
    const wrong = { authorization: 'Bearer bnd_wrong' };
    for (const path of ['/namespaces', '/graphql', '/mcp']) {
      expect([path, await ask(path), await ask(path, wrong)]).toEqual([path, 415, 401]);
    }
    expect(await ask('/namespaces/eve/libraries/hidden/files-presign')).toBe(404);
    expect(await ask('/sign-in', { 'content-type': 'application/x-www-form-urlencoded' })).toBe(415);
  });

  test('of another media type get no Accept-Encoding, and those coded as identity are read', async () => {
    expect((await post('slug=robots', { 'content-type': 'text/plain' })).headers.has('accept-encoding')).toBe(
      false,
    );
    expect((await post('{"slug": "Not A Slug"}', { 'content-encoding': 'identity' })).status).toBe(400);
  });

  test('larger than the route accepts are refused', async () => {
    const answer = await post(JSON.stringify({ slug: 'a'.repeat(1_100_000) }));
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ error: 'payload_too_large' });
  });

  test.each([
    ['an unknown key', { slug: 'robots', colour: 'red' }, '/colour'],
    ['a value of another type', { slug: 5 }, '/slug', '/slug: must be text (received 5).'],
    ['a key missing', {}, '/slug', '/slug: must be text (received nothing).'],
    ['an invalid value', { slug: 'Not A Slug' }, '/slug'],
    ['U+0000', { slug: 'robots', displayName: 'a\u0000b' }, '/displayName'],
    ['null instead of an object', null, ''],
  ])('with %s are refused with a JSON pointer to the place', async (_, body, parameter, message?: string) => {
    const answer = await ada.post('/namespaces', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: 'invalid_parameter', parameter });
    if (message !== undefined) expect(answer.body).toMatchObject({ message });
  });

  test('with huge keys or values, or deep nesting, get a short error', async () => {
    const long = await ada.post<{ message: string }>('/namespaces', { slug: 'x'.repeat(500_000) });
    expect(long.status).toBe(400);
    expect(long.body.message.length).toBeLessThan(300);
    const deep = await post(`{"slug":${'['.repeat(200_000)}${']'.repeat(200_000)}}`);
    expect(deep.status).toBe(400);
    expect(((await deep.json()) as { message: string }).message.length).toBeLessThan(300);
    const key = await ada.post<{ message: string }>('/namespaces', { ['k'.repeat(10_000)]: 1 });
    expect(key.body.message.length).toBeLessThan(300);
  });
});

describe('a malformed request', () => {
  const host = 'Host: localhost\r\n';

  test('that is not HTTP gets 400 with the coded error as JSON', async () => {
    const answer = await sendRaw(service.url, 'HELLO\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: 'bad_request' });
  });

  test('with oversized headers gets 431', async () => {
    const answer = await sendRaw(
      service.url,
      `GET /healthz HTTP/1.1\r\n${host}X-Long: ${'a'.repeat(20_000)}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: 'headers_too_large' });
  });

  test.each(['/healthz', '/storage/lab', '/nowhere'])('with two Host headers gets 400: %s', async (path) => {
    const answer = await sendRaw(service.url, `GET ${path} HTTP/1.1\r\n${host}host: other\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    const { error, requestId } = JSON.parse(answer.split('\r\n\r\n')[1] ?? '');
    expect([error, answer.includes(`x-request-id: ${requestId}`)]).toEqual(['bad_request', true]);
  });

  test('with a path that cannot be decoded gets 400', async () => {
    const { status, body, headers } = await ada.get('/namespaces/%zz');
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'bad_request', requestId: headers.get('x-request-id') });
  });

  test('with a very long path parameter gets 400 or 404, not a server error', async () => {
    const { status } = await ada.get(`/namespaces/${'a'.repeat(8_000)}`);
    expect([400, 404]).toContain(status);
  });
});
