import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Actor } from '../actor.ts';
import { exchange } from '../exchange.ts';
import { publish } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';

const COMMIT = 'c'.repeat(40);

/** A server that speaks as Hugging Face does, whose files a test changes. */
class Repository {
  files: Record<string, string> = { 'config.json': '{"a": 1}', 'weights/model.bin': 'w'.repeat(300_000) };
  /** What the list says, where it lies. */
  listed: Record<string, { size?: number; oid?: string }> = {};
  /** Sends a file in another way. */
  send: ((path: string, response: ServerResponse, range: string | undefined) => void) | undefined;
  readonly asked: string[] = [];
  readonly credentials = new Set<unknown>();
  url = '';
  #server: Server | undefined;

  async open(): Promise<this> {
    this.#server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://localhost');
      this.asked.push(pathname);
      this.credentials.add(request.headers.authorization).add(request.headers.cookie);
      if (pathname.startsWith('/api/datasets/lab/scans/revision/')) {
        response.end(JSON.stringify({ sha: COMMIT, cardData: { license: 'mit' } }));
      } else if (pathname === `/api/datasets/lab/scans/tree/${COMMIT}`) {
        response.end(
          JSON.stringify(Object.entries(this.files).map(([path, text]) => this.#entry(path, text))),
        );
      } else {
        const path = pathname.replace(`/datasets/lab/scans/resolve/${COMMIT}/`, '');
        const text = this.files[path];
        if (text === undefined) response.writeHead(404).end();
        else if (this.send) this.send(path, response, request.headers.range);
        else response.end(text);
      }
    }).listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    onTestFinished(() => this.end());
    return this;
  }

  end(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  #entry(path: string, text: string) {
    const { size = text.length, oid } = this.listed[path] ?? {};
    const git = hash('sha1', `blob ${text.length}\0${text}`);
    if (!path.endsWith('.bin')) return { type: 'file', path, size, oid: oid ?? git };
    return { type: 'file', path, size, oid: git, lfs: { oid: oid ?? hash('sha256', text) } };
  }
}

async function edge(upstream: Repository, dataDir?: string): Promise<{ service: TestService; bob: Actor }> {
  const service = await startService({
    ...(dataDir && { dataDir }),
    configuration: { upstreamHuggingFace: upstream.url },
  });
  onTestFinished(() => service.close());
  return { service, bob: await service.member('bob') };
}

const FILE = '/hf/datasets/lab/scans/resolve/main';
const filesAsked = ({ asked }: Repository) => asked.filter((path) => path.includes('/resolve/'));

test('what is lacking is fetched once, kept, and served when its source has ended and this service was restarted', async () => {
  const upstream = await new Repository().open();
  const dataDir = await mkdtemp(join(tmpdir(), 'bindery-edge-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const walk = async (bob: Actor) => {
    const { body: info } = await bob.get<{ sha: string; siblings: { rfilename: string }[] }>(
      '/hf/api/datasets/lab/scans/revision/main',
    );
    expect(info).toMatchObject({ sha: COMMIT, cardData: { license: 'MIT' } });
    expect(info.siblings.map(({ rfilename }) => rfilename)).toEqual(Object.keys(upstream.files));
    for (const [path, text] of Object.entries(upstream.files)) {
      const head = await bob.send('HEAD', `${FILE}/${path}`);
      expect(head.headers.get('x-repo-commit')).toBe(COMMIT);
      expect(head.headers.get('content-length')).toBe(String(text.length));
      const { bytes } = await exchange(`${bob.url}${FILE}/${path}`, { method: 'GET', headers: bob.headers });
      expect(bytes.toString()).toBe(text);
    }
    const { body: tree } = await bob.get<{ path: string }[]>(`/hf/api/datasets/lab/scans/tree/main`);
    expect(tree.map(({ path }) => path)).toEqual(['config.json', 'weights']);
    const part = await exchange(`${bob.url}${FILE}/weights/model.bin`, {
      method: 'GET',
      headers: { ...bob.headers, range: 'bytes=299998-' },
    });
    expect({ status: part.status, text: part.bytes.toString() }).toEqual({ status: 206, text: 'ww' });
    expect((await bob.get(`${FILE}/absent`)).headers.get('x-error-code')).toBe('EntryNotFound');
  };
  const first = await edge(upstream, dataDir);
  await walk(first.bob);
  await walk(first.bob);
  expect(filesAsked(upstream)).toHaveLength(2);
  expect([...upstream.credentials]).toEqual([undefined]);
  upstream.end();
  const second = await startService({ dataDir, configuration: { upstreamHuggingFace: upstream.url } });
  onTestFinished(() => second.close());
  await walk(await second.member('bob'));
});

test('two callers at once share one transfer, which goes on for the other one when the first has left', async () => {
  const upstream = await new Repository().open();
  const { bob } = await edge(upstream);
  let go = () => {};
  upstream.send = (path, response) => {
    const text = upstream.files[path] ?? '';
    response.write(text.slice(0, 100_000));
    go = () => response.end(text.slice(100_000));
  };
  const leaving = new AbortController();
  const url = `${bob.url}${FILE}/weights/model.bin`;
  const first = await fetch(url, { headers: bob.headers, signal: leaving.signal });
  const second = await fetch(url, { headers: bob.headers });
  leaving.abort();
  await expect(first.text()).rejects.toThrow();
  go();
  expect(await second.text()).toBe(upstream.files['weights/model.bin']);
  expect(filesAsked(upstream)).toHaveLength(1);
});

test('when the last caller has left, the transfer ends, and the next one goes on where it was', async () => {
  const upstream = await new Repository().open();
  const { bob } = await edge(upstream);
  const text = upstream.files['weights/model.bin'] ?? '';
  const ranges: (string | undefined)[] = [];
  const ended = vi.fn();
  upstream.send = (_, response, range) => {
    ranges.push(range);
    response.on('close', ended);
    if (range === undefined) return void response.write(text.slice(0, 100_000));
    const from = Number(/\d+/.exec(range)?.[0]);
    response.writeHead(206, { 'content-range': `bytes ${from}-${text.length - 1}/${text.length}` });
    response.end(text.slice(from));
  };
  const url = `${bob.url}${FILE}/weights/model.bin`;
  const leaving = new AbortController();
  const { body } = await fetch(url, { headers: bob.headers, signal: leaving.signal });
  const reader = body?.getReader();
  for (let read = 0; read < 100_000; ) read += (await reader?.read())?.value?.length ?? 0;
  leaving.abort();
  await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce(), { timeout: 10_000 });
  expect(await (await fetch(url, { headers: bob.headers })).text()).toBe(text);
  expect(ranges).toEqual([undefined, 'bytes=100000-']);
});

test.each([
  ['a hash that is not of its bytes', { oid: '0'.repeat(64) }],
  ['more bytes than there are', { size: 300_001 }],
  ['fewer bytes than there are', { size: 299_999 }],
])('a file of which the list says %s is never whole, and not kept', async (_, lie) => {
  const upstream = await new Repository().open();
  upstream.listed['weights/model.bin'] = lie;
  const { bob } = await edge(upstream);
  const url = `${bob.url}${FILE}/weights/model.bin`;
  for (const range of [undefined, 'bytes=0-9']) {
    const whole = fetch(url, { headers: { ...bob.headers, ...(range && { range }) } }).then((answer) =>
      answer.ok ? answer.text() : Promise.reject(new Error(`status ${answer.status}`)),
    );
    await expect(whole).rejects.toThrow();
  }
});

test.each([{ oid: '../../../../escaped' }, { size: -1 }, { size: 1.5 }])(
  'a list that cannot be true is refused: %j',
  async (lie) => {
    const upstream = await new Repository().open();
    upstream.listed['config.json'] = lie;
    const { bob } = await edge(upstream);
    expect((await bob.get('/hf/api/datasets/lab/scans')).status).toBe(503);
  },
);

test('upstream is asked for nobody who is not signed in, and for no owner whose name a namespace here has', async () => {
  const upstream = await new Repository().open();
  const { service, bob } = await edge(upstream);
  expect((await service.anonymous.get('/hf/api/datasets/lab/scans')).status).toBe(401);
  expect((await bob.get('/hf/api/datasets/lab/absent')).status).toBe(404);
  const lea = await service.member('lab');
  await publish(lea, 'lab/hidden', { assets: [] });
  upstream.asked.length = 0;
  for (const path of ['lab/scans', 'lab/hidden', 'Lab/scans'])
    expect((await bob.get(`/hf/api/datasets/${path}`)).status).toBe(404);
  expect(upstream.asked).toEqual([]);
  expect((await lea.get('/hf/api/datasets/lab/hidden')).status).toBe(200);
});

test('a redirect to the metadata of the machine is not followed', async () => {
  const upstream = await new Repository().open();
  upstream.send = (_, response) => void response.writeHead(302, { location: 'ftp://169.254.169.254/' }).end();
  const { bob } = await edge(upstream);
  expect((await bob.get(`${FILE}/config.json`)).status).toBe(503);
});

test('an upstream that does not answer is told, and not waited for again at once', async () => {
  const upstream = await new Repository().open();
  const { bob } = await edge(upstream);
  upstream.end();
  expect((await bob.get('/hf/api/datasets/lab/scans')).status).toBe(503);
}, 30_000);
