import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';

const SCRIPT = 'console.log("bindery");\n'.repeat(100);

let folder: string;
let service: TestService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bindery-dashboard-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>App</title>');
  await writeFile(join(folder, 'viewer.html'), '<!doctype html><title>Frame</title>');
  await writeFile(
    join(folder, 'viewer-policy.json'),
    JSON.stringify({ policy: "default-src 'none'; script-src 'sha256-a'" }),
  );
  await writeFile(join(folder, 'assets', 'index-abc.js'), SCRIPT);
  await writeFile(join(folder, 'assets', 'index-abc.js.gz'), gzipSync(SCRIPT));
  service = await startService({ dashboardFolder: folder });
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(service.url + path, { headers, redirect: 'manual' });

test.each(['/', '/app'])('%s redirects to the dashboard', async (path) => {
  expect((await get(path)).headers.get('location')).toBe('/app/');
});

describe('the dashboard app', () => {
  test.each(['/app/', '/app/ada/robots', '/app/ada/robots/a%2Fb?q=arm'])(
    'is served at %s and not cached',
    async (path) => {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('<title>App</title>');
      expect(answer.headers.get('cache-control')).toBe('no-store');
    },
  );

  test('allows only its own scripts and requires trusted types', async () => {
    const policy = (await get('/app/')).headers.get('content-security-policy') ?? '';
    const rules = policy.split('; ');
    expect(rules).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]),
    );
    expect(policy).not.toMatch(/unsafe|\*/);
  });
});

describe('the asset viewer frame', () => {
  test('is sandboxed, runs only the built scripts, and has no network access', async () => {
    const { headers } = await get('/app/viewer.html');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        'sandbox allow-scripts',
        "default-src 'none'",
        "script-src 'sha256-a'",
        "frame-ancestors 'self' *",
      ]),
    );
    expect(policy).not.toMatch(/http|'self'(?! \*$)|'unsafe/);
    expect(headers.get('x-frame-options')).toBeNull();
  });
});

describe('files with a hash in their name', () => {
  test('can be cached forever, and are read by the viewer in hosts of agents, which have other origins', async () => {
    const { headers } = await get('/app/assets/index-abc.js');
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  });

  test('are served as compressed by the build if the client accepts gzip, and plain otherwise', async () => {
    const packed = await get('/app/assets/index-abc.js', { 'accept-encoding': 'gzip, br' });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(Number(packed.headers.get('content-length'))).toBe(gzipSync(SCRIPT).length);
    expect(await packed.text()).toBe(SCRIPT);
    const plain = await get('/app/assets/index-abc.js', { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toBe(SCRIPT);
  });

  test.each(['nothing.js', 'index-abc.js.gz', '..%2Findex.html', '%2e%2e%2findex.html'])(
    '%s gets 404',
    async (name) => {
      expect((await get(`/app/assets/${name}`)).status).toBe(404);
    },
  );
});

test('a service without a dashboard redirects to the account page', async () => {
  const without = await startService();
  try {
    expect((await fetch(without.url, { redirect: 'manual' })).headers.get('location')).toBe('/account');
    expect((await fetch(`${without.url}/app/`)).status).toBe(404);
  } finally {
    await without.close();
  }
});
