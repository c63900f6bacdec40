import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test.each(['/healthz', '/nowhere', '/namespaces'])(
  '%s sends headers that forbid loading or running content, MIME sniffing, referrers and framing',
  async (path) => {
    const { headers } = await service.anonymous.get(path);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  },
);

test('responses are sent with no-store by default', async () => {
  const ada = await service.member('ada');
  expect((await ada.get('/api/auth/profile')).headers.get('cache-control')).toBe('no-store');
});

test('Strict-Transport-Security is sent only if the public URL is https', async () => {
  const https = await startService({ configuration: { publicUrl: 'https://assets.example.org' } });
  try {
    expect((await https.anonymous.get('/healthz')).headers.get('strict-transport-security')).toMatch(
      /^max-age=\d+$/,
    );
    expect((await service.anonymous.get('/healthz')).headers.has('strict-transport-security')).toBe(false);
  } finally {
    await https.close();
  }
});

test('CORS lets pages of any origin send a token, but no cookies', async () => {
  const preflight = await fetch(`${service.url}/namespaces`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://elsewhere.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
  expect(preflight.headers.has('access-control-allow-credentials')).toBe(false);
  const { headers } = await service.anonymous.with({ origin: 'https://elsewhere.example' }).get('/healthz');
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('access-control-expose-headers')).toContain('x-request-id');
});

test('CORS lets pages read every header of a response that means something to them', async () => {
  const exposed = async (path: string) => {
    const { headers } = await service.anonymous.with({ origin: 'https://elsewhere.example' }).get(path);
    return headers.get('access-control-expose-headers')?.toLowerCase().split(/, */) ?? [];
  };
  const everywhere = [
    'etag',
    'x-request-id',
    'retry-after',
    'ratelimit-remaining',
    'ratelimit-reset',
    'allow',
  ];
  const api = [
    ...everywhere,
    'ratelimit-limit',
    'bindery-semantic',
    'bindery-manifest',
    'bindery-manifest-size',
    'www-authenticate',
  ];
  for (const path of ['/libraries', '/library-search?libraries=ada/none', '/nowhere']) {
    expect(await exposed(path)).toEqual(expect.arrayContaining([...api, 'accept-encoding']));
  }
  const files = [...everywhere, 'content-disposition', 'content-range', 'accept-ranges'];
  expect(await exposed('/storage/none')).toEqual(expect.arrayContaining(files));
});

test('long JSON is gzipped for clients that accept it, with the same content', async () => {
  const plain = await fetch(`${service.url}/openapi.json`, { headers: { 'accept-encoding': 'identity' } });
  const packed = await fetch(`${service.url}/openapi.json`, { headers: { 'accept-encoding': 'gzip' } });
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(packed.headers.get('content-encoding')).toBe('gzip');
  expect(packed.headers.get('vary')).toContain('accept-encoding');
  expect(await packed.json()).toEqual(await plain.json());
});
