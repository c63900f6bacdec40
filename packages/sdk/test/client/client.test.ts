import { gzipSync } from 'node:zlib';
import { routes } from '@bindery/contract';
import { afterEach, describe, expect, test } from 'vitest';
import { startService } from '../../../server/test/service.ts';
import { UnexpectedResponseError } from '../../src/client/errors.ts';
import { ApiError, createClient, NetworkError, NO_RETRY } from '../../src/index.ts';
import { type Handler, hangUp, json, serveInTurn } from './misbehaving-server.ts';

const QUICK = { attempts: 4, pause: 1, maxPause: 2_000 };
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A client of a server that answers as told. */
async function talkTo(...handlers: Handler[]) {
  const server = await serveInTurn(...handlers);
  const client = createClient({ baseUrl: server.url, token: 'bnd_a-secret', retry: QUICK });
  closers.push(server.close, () => client.close());
  return { client, server };
}

const profile = { user: { userName: 'ada' } };
const registered = { params: { namespace: 'acme', name: 'arms' }, body: {} };

describe('a call', () => {
  test('returns the responses and errors of the real service', async () => {
    const service = await startService();
    closers.push(service.close);
    const bob = await service.member('bob');
    const token = bob.headers.authorization?.replace('Bearer ', '') ?? '';
    const client = createClient({ baseUrl: `${service.url}/`, token });
    closers.push(() => client.close());
    const made = await client.call(routes.namespaces.createNamespace, { body: { slug: 'acme' } });
    expect(made).toMatchObject({ slug: 'acme', viewerRole: 'owner' });
    const refused = client.call(routes.namespaces.createNamespace, { body: { slug: 'acme' } });
    await expect(refused).rejects.toMatchObject({
      name: 'ApiError',
      status: 409,
      code: 'slug_taken',
      requestId: expect.any(String),
    });
    await expect(
      client.call(routes.namespaces.deleteNamespace, { params: { namespace: 'acme' } }),
    ).resolves.toBeNull();
  });

  test('keeps further fields of an error response as its details', async () => {
    const { client } = await talkTo(
      json(409, { error: 'revision_conflict', message: 'Moved on.', requestId: 'r1', revision: 7 }),
    );
    const error = await client.call(routes.libraries.registerLibrary, registered).catch((reason) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'revision_conflict', requestId: 'r1', details: { revision: 7 } });
  });

  test('uses the HTTP status as the code of an error that the service did not send', async () => {
    const { client } = await talkTo((_, response) => {
      response
        .writeHead(403, { 'content-type': 'application/xml' })
        .end('<Error><Code>AccessDenied</Code></Error>');
    });
    await expect(client.call(routes.login.getProfile, {})).rejects.toMatchObject({
      code: 'http_403',
      status: 403,
    });
  });

  test('encodes path parameters and refuses "..", so that none can leave its place in the path', async () => {
    const { client, server } = await talkTo(json(200, {}));
    const params = { namespace: 'acme', name: 'arms', assetId: 'a/../../b?c#d' };
    await client.call(routes.libraries.getAsset, { params, query: { ttlSeconds: 60 } });
    expect(server.requests[0]?.url).toBe(
      '/namespaces/acme/libraries/arms/assets/a%2F..%2F..%2Fb%3Fc%23d?ttlSeconds=60',
    );
    const up = { namespace: '..', name: 'arms' };
    await expect(client.call(routes.libraries.getLibrary, { params: up })).rejects.toThrow('"namespace"');
  });

  test('sends the token only to routes that use one', async () => {
    const { client, server } = await talkTo(json(200, profile));
    await client.call(routes.login.getProfile, {});
    await client.call(routes.service.healthz, {});
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer bnd_a-secret',
      undefined,
    ]);
  });

  test.each(['call', 'raw'] as const)(
    'rejects a page in place of JSON, and names the address (%s)',
    async (way) => {
      const { client, server } = await talkTo((_, response) => response.end('<html>Welcome to nginx</html>'));
      const error = await client[way](routes.login.getProfile, {}).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(UnexpectedResponseError);
      expect(String(error)).toContain(`${server.url} did not answer as a Bindery service`);
    },
  );

  test('rejects an endless response once it exceeds maxBytes', async () => {
    const { client } = await talkTo((_, response) => {
      const more = () => response.write('x'.repeat(65_536)) && setImmediate(more);
      response.on('drain', more);
      more();
    });
    const endless = client.call(routes.login.getProfile, { maxBytes: 1_000_000 });
    await expect(endless).rejects.toThrow('over 1000000 bytes');
  });

  test('does not follow a redirect, which could leak the token', async () => {
    const { client, server } = await talkTo((_, response) => {
      response.writeHead(308, { location: 'https://elsewhere.example/api/auth/profile' }).end();
    });
    await expect(client.call(routes.login.getProfile, {})).rejects.toThrow(
      'redirects to https://elsewhere.example',
    );
    expect(server.requests).toHaveLength(1);
  });
});

describe('retrying', () => {
  test('a read succeeds after a broken connection and a 503', async () => {
    const { client, server } = await talkTo(hangUp, json(503, { error: 'unavailable' }), json(200, profile));
    expect(await client.call(routes.login.getProfile, {})).toEqual(profile);
    expect(server.requests).toHaveLength(3);
  });

  test('stops after the configured attempts with the last error', async () => {
    const { client, server } = await talkTo(json(503, { error: 'unavailable', message: 'Busy.' }));
    await expect(client.call(routes.login.getProfile, {})).rejects.toMatchObject({ code: 'unavailable' });
    expect(server.requests).toHaveLength(4);
  });

  test.each([
    ['a broken connection', hangUp, NetworkError],
    ['a 503 from a proxy', json(503, {}), ApiError],
  ])('a write is not repeated after %s, because it may have taken effect', async (_, answer, kind) => {
    const { client, server } = await talkTo(answer);
    const write = client.call(routes.libraries.registerLibrary, registered);
    await expect(write).rejects.toBeInstanceOf(kind);
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    [429, 'rate_limited'],
    [503, 'unavailable'],
  ])('a write is repeated after %i %s with Retry-After', async (status, error) => {
    const { client, server } = await talkTo(
      json(status, { error }, { 'retry-after': '1' }),
      json(200, { revision: 1 }),
    );
    await client.call(routes.libraries.registerLibrary, registered);
    expect(server.requests).toHaveLength(2);
  });

  test('a call fails instead of waiting for a Retry-After of an hour', async () => {
    const { client, server } = await talkTo(json(429, { error: 'rate_limited' }, { 'retry-after': '3600' }));
    await expect(client.call(routes.login.getProfile, {})).rejects.toMatchObject({ code: 'rate_limited' });
    expect(server.requests).toHaveLength(1);
  });

  test('an abort during the wait rejects the call with its own reason', async () => {
    const { client } = await talkTo(json(429, { error: 'rate_limited' }, { 'retry-after': '2' }));
    const controller = new AbortController();
    const call = client.call(routes.login.getProfile, { signal: controller.signal });
    setTimeout(() => controller.abort(new DOMException('Interrupted.', 'AbortError')), 50);
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('presigned URLs', () => {
  test('are requested without the token, and relative ones at the address of the service', async () => {
    const { client, server } = await talkTo((_, response) => response.end('bytes'));
    const request = { url: '/objects/abc?signature=1', headers: { range: 'bytes=0-4' } };
    expect(await client.download(request, 5)).toEqual(Buffer.from('bytes'));
    expect(server.requests[0]?.url).toBe('/objects/abc?signature=1');
    expect(server.requests[0]?.headers).toMatchObject({ range: 'bytes=0-4' });
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  test('do not leak their signature in error messages', async () => {
    const { client } = await talkTo(hangUp);
    const error = await client
      .download({ url: '/objects/abc?signature=secret' }, 10)
      .catch((reason) => reason);
    expect(error).toBeInstanceOf(NetworkError);
    expect(error.message).not.toContain('secret');
  });
});

describe('a raw call', () => {
  test('returns the bytes unchanged with their ETag, and no bytes on a 304 for If-None-Match', async () => {
    const { client, server } = await talkTo(
      (_, response) => response.writeHead(200, { etag: '"r1"' }).end('{ "spaced" : 1 }\n'),
      (_, response) => response.writeHead(304, { etag: '"r1"' }).end(),
    );
    const request = { params: { namespace: 'acme', name: 'arms' } };
    const first = await client.raw(routes.libraries.getManifest, request);
    expect(first.bytes.toString()).toBe('{ "spaced" : 1 }\n');
    expect(first.etag).toBe('"r1"');
    const second = await client.raw(routes.libraries.getManifest, { ...request, ifNoneMatch: '"r1"' });
    expect([second.status, second.bytes.length]).toEqual([304, 0]);
    expect(server.requests[1]?.headers['if-none-match']).toBe('"r1"');
  });
});

describe('compressed responses', () => {
  test('are requested if compression is on, and decompressed', async () => {
    const server = await serveInTurn((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"packed":true}'));
    });
    const client = createClient({ baseUrl: server.url, compression: true });
    closers.push(server.close, () => client.close());
    const request = { params: { namespace: 'acme', name: 'arms' } };
    expect((await client.raw(routes.libraries.getManifest, request)).bytes.toString()).toBe(
      '{"packed":true}',
    );
    expect(server.requests[0]?.headers['accept-encoding']).toBe('gzip');
  });

  test('from a hostile server are refused once they decompress to more than maxBytes', async () => {
    const { client } = await talkTo((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000)));
    });
    const bomb = client.call(routes.login.getProfile, { maxBytes: 1_000_000 });
    await expect(bomb).rejects.toThrow('over 1000000 bytes');
  });

  test('that are truncated fail with a NetworkError', async () => {
    const { client } = await talkTo((_, response) => {
      response
        .writeHead(200, { 'content-encoding': 'gzip' })
        .end(gzipSync('{"packed":true}').subarray(0, 12));
    });
    const call = client.call(routes.login.getProfile, { retry: NO_RETRY });
    await expect(call).rejects.toBeInstanceOf(NetworkError);
  });
});

describe('a server address', () => {
  const noSuchHost = {
    ENOTFOUND: 'there is no such host.',
    // Where no name server can be reached.
    EAI_AGAIN: 'the host name could not be looked up.',
  };
  test.each<[string, Record<string, string>]>([
    ['http://127.0.0.1:1', { ECONNREFUSED: 'the connection was refused.' }],
    ['http://no-such-host.invalid', noSuchHost],
  ])('is named in the error if it is unreachable, with the reason: %s', async (baseUrl, sentences) => {
    const client = createClient({ baseUrl, retry: { ...QUICK, attempts: 1 } });
    closers.push(() => client.close());
    const error = await client.call(routes.service.healthz, {}).catch((reason) => reason);
    expect(error).toBeInstanceOf(NetworkError);
    expect(Object.keys(sentences)).toContain(error.reason);
    expect(error.message).toBe(`${baseUrl}: ${sentences[error.reason]}`);
  });

  test.each(['ftp://a.example', 'a.example', 'https://user:word@a.example', 'https://a.example/?q=1', ''])(
    'is refused if it is "%s"',
    (baseUrl) => {
      expect(() => createClient({ baseUrl })).toThrow(TypeError);
    },
  );
});
