import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { exchange } from '../exchange.ts';
import { publish, type WrittenLibrary } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';

/** Names that decoders, shells, markup and file systems take for something else. */
const TRAPS = [
  'a/e\u0301 \u00e9.obj',
  'a/\u202egpj.obj',
  'a/\ufeff\u200b.obj',
  'a/\u{1f469}\u200d\u{1f680}.obj',
  'a/\ufdd0 \ufffe.obj',
  'a/%2e%2e%2f%00.obj',
  'a/100%.obj',
  'a/?a=b#c&d;e.obj',
  "a/+ ~!$'()*,:@=[]{}|^`.obj",
  'a/<script>"&amp;.obj',
  'a/.wh',
  'a/...',
  'a/CON',
  'a/ a ',
  `a/${'\u00e4'.repeat(100)}.obj`,
];
const robots: WrittenLibrary = {
  assets: [{ id: 'a', files: Object.fromEntries(TRAPS.map((name) => [name, `of ${name}`])) }],
};

interface Door {
  name: string;
  /** What a client asks for of a library, at a release or its current revision. */
  of(library: string, release: string | null): string;
  /** A file of it; null for doors that send archives alone. */
  file: ((library: string, release: string | null, path: string) => string) | null;
}

const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/');
const at = (mark: string, release: string | null) => (release === null ? '' : mark + release);
const DOORS: Door[] = [
  {
    name: "the web's",
    of: (library, release) => `/raw/ada/${library}${at('@', release)}/`,
    file: (library, release, path) => `/raw/ada/${library}${at('@', release)}/${encoded(path)}`,
  },
  {
    name: "Hugging Face's",
    of: (library, release) => `/hf/api/datasets/ada/${library}/revision/${release ?? 'main'}`,
    file: (library, release, path) =>
      `/hf/datasets/ada/${library}/resolve/${release ?? 'main'}/${encoded(path)}`,
  },
  {
    name: "S3's",
    of: (library, release) => `/s3/ada.${library}${at('.at.', release)}?list-type=2`,
    file: (library, release, path) => `/s3/ada.${library}${at('.at.', release)}/${encoded(path)}`,
  },
  {
    name: "registries'",
    of: (library, release) => `/v2/ada/${library}/manifests/${release ?? 'latest'}`,
    file: null,
  },
  {
    name: "Blender's",
    of: (library, release) => `/blender/ada/${library}${at('@', release)}/_asset-library-meta.json`,
    file: (library, release, path) => `/blender/ada/${library}${at('@', release)}/${encoded(path)}`,
  },
];

describe.each(DOORS)('at the door for $name clients', ({ name, of, file }) => {
  let service: TestService;
  let ada: Actor;
  beforeAll(async () => {
    service = await startService();
    ada = await service.member('ada');
    await publish(ada, 'ada/robots', { ...robots, visibility: 'public' });
    await publish(ada, 'ada/secret', robots);
    for (const library of ['robots', 'secret'])
      await ada.post(`/namespaces/ada/libraries/${library}/releases`, { name: 'v1' });
  });
  afterAll(() => service.close());

  async function ask(path: string, headers: Record<string, string> = {}) {
    const answer = await exchange(service.url + path, { method: 'GET', headers });
    const text = answer.bytes.toString();
    const isOwn = (header: string) => ['date', 'x-request-id', 'x-amz-request-id'].includes(header);
    const told = [...answer.headers].filter(([header]) => !isOwn(header));
    // What differs from request to request.
    const body = text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>');
    return { status: answer.status, told, body, bytes: answer.bytes };
  }

  const readFile = file;
  if (readFile !== null)
    test('a file has its bytes, whatever it is called', async () => {
      for (const path of TRAPS)
        for (const release of [null, 'v1']) {
          const { status, bytes } = await ask(readFile('robots', release, path));
          expect([path, status, bytes.toString()]).toEqual([path, 200, `of ${path}`]);
        }
    });

  test('hidden and missing are answered alike: status, headers and body', async () => {
    for (const headers of [{}, { ...(await service.stranger()).headers }]) {
      for (const release of [null, 'v1', 'v9']) {
        const hidden = await ask(of('secret', release), headers);
        const missing = await ask(of('nothing', release), headers);
        expect(hidden.status).toBeGreaterThanOrEqual(400);
        expect({ ...hidden, body: hidden.body.replaceAll('secret', 'nothing'), bytes: null }).toEqual({
          ...missing,
          bytes: null,
        });
      }
      for (const path of [TRAPS[0] ?? '', 'a/no such file']) {
        const [hidden, missing] = await Promise.all(
          ['secret', 'nothing'].map((library) =>
            ask(file?.(library, 'v1', path) ?? of(library, 'v1'), headers),
          ),
        );
        expect({ ...hidden, bytes: null }).toEqual({ ...missing, bytes: null });
      }
    }
  });

  test('what was ended or withdrawn after it was read is missing from then on', async () => {
    const base = '/namespaces/ada/libraries/passing';
    await publish(ada, 'ada/passing', { ...robots, visibility: 'public' });
    await ada.post(`${base}/releases`, { name: 'v1' });
    await publish(ada, 'ada/passing', { assets: [{ id: 'a', files: { 'a/other': 'other' } }] });
    const paths = (release: string | null) => [
      of('passing', release),
      ...(file ? [file('passing', release, release === null ? 'a/other' : (TRAPS[0] ?? ''))] : []),
    ];
    const statuses = async (release: string | null) =>
      (await Promise.all(paths(release).map((path) => ask(path)))).map(({ status }) => status);
    const all = (status: number) => paths(null).map(() => status);
    expect([await statuses('v1'), await statuses(null)]).toEqual([all(200), all(200)]);
    await ada.delete(`${base}/releases/v1`);
    expect([await statuses('v1'), await statuses(null)]).toEqual([all(404), all(200)]);
    await ada.post(base, { visibility: 'private' });
    const hidden = (await ask(of('nothing', null))).status;
    expect(await statuses(null)).toEqual(all(hidden));
    const own = { ...ada.headers };
    expect((await ask(of('passing', null), own)).status).toBe(200);
    await ada.delete(base);
    expect((await ask(of('passing', null), own)).status).toBe(404);
  });

  test('no method writes', async () => {
    for (const method of ['PUT', 'POST', 'DELETE', 'PATCH'])
      for (const path of [of('robots', 'v1'), file?.('robots', null, TRAPS[0] ?? '') ?? of('robots', null)]) {
        const { status } = await exchange(service.url + path, { method, headers: { ...ada.headers } });
        expect([name, method, path, status >= 400 && status < 500]).toEqual([name, method, path, true]);
      }
  });
});
