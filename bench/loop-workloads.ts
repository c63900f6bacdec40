import { hash } from 'node:crypto';
import { BUNDLE, LIMITS, MANIFEST_PATH, RESERVED_FOLDER } from '@bindery/contract';
import {
  type Client,
  FILE_COUNT,
  generateFile,
  generateManifest,
  manifestOf,
  NAMESPACE,
  OWNER,
  pathOf,
  SEARCHED,
  SPREAD_NOTE,
  seedAbandoned,
} from '@bindery/server/testing';
import { SMALL_MODEL } from '../packages/encoder/test/small-model.ts';

/** Work that a service does, and how often it is measured. */
export interface Workload {
  name: string;
  /** Repetitions after the first run, 30 by default. */
  times?: number;
  /** Environment variables of the service, if any are needed. */
  environment?: Record<string, string>;
  /** Applied to the data folder before the service starts. */
  seed?(dataDir: string): Promise<void>;
  /** Prepares the work and returns a function that does it, given the number of the run. */
  prepare(
    client: Client,
    removeAbandoned: () => Promise<unknown>,
  ): Promise<(time: number) => Promise<unknown>>;
}

const LARGEST = pathOf('largest');
const ARTIFACTS = 60_000;
const HASH = '0123456789abcdef'.repeat(4);
const numbers = (length: number) => Array.from({ length }, (_, number) => number);

function get(path: string, headers = {}): Workload['prepare'] {
  return async (client) => () => client.send('GET', path, { headers });
}

/** Sends a body repeatedly; any response status is accepted, because refusing is work as well. */
function post(path: string, body: object | ((time: number) => object)): Workload['prepare'] {
  return async (client) => (time) =>
    client.send('POST', path, { body: typeof body === 'function' ? body(time) : body, any: true });
}

const reading = (
  name: string,
  path: string,
  more: Partial<Workload> & { encoding?: string } = {},
): Workload => ({
  ...{ name, prepare: get(path, more.encoding ? { 'accept-encoding': more.encoding } : {}) },
  ...more,
});

const reads: Workload[] = [
  { name: 'nothing', prepare: async () => () => new Promise((resolve) => setTimeout(resolve, 50)) },
  reading('a small answer (/healthz)', '/healthz'),
  reading('the description of the interface (/openapi.json)', '/openapi.json'),
  reading('opening the index of 900,000 files', `${LARGEST}/assets/a1`, {
    environment: { BINDERY_INDEX_CACHE_MIB: '1' },
  }),
  reading('a manifest of 100 MiB', `${LARGEST}/manifest`, { times: 5 }),
  reading('a manifest of 100 MiB, compressed', `${LARGEST}/manifest`, { times: 2, encoding: 'br' }),
  reading('an asset of 20,000 files', `${pathOf('many-files')}/assets/all`),
  reading('a list of 500 libraries', '/libraries?limit=500'),
  reading('a list of 500 libraries, compressed', '/libraries?limit=500', { encoding: 'gzip' }),
];

const authorizing = (name: string, files: (time: number) => object[]): Workload => ({
  name,
  prepare: post(`${LARGEST}/upload-authorizations`, (time) => ({ files: files(time) })),
});

/** A path of nearly the maximum length. */
const longPath = (number: number) => `${'a-folder-of-parts/'.repeat(56)}${number}`;

const uploads: Workload[] = [
  {
    name: 'presigning 1,000 files',
    prepare: post(`${LARGEST}/files-presign`, () => ({
      paths: numbers(LIMITS.presignPaths).map((number) => generateFile(number * 900, 0).path),
    })),
  },
  authorizing('authorising 1,000 uploads with the longest paths', () =>
    numbers(1_000).map((number) => ({ relativePath: longPath(number), size: 1, sha256: HASH })),
  ),
  authorizing('authorising 1,000 uploads of what is there', () =>
    numbers(1_000).map((number) => {
      const { path, content, sha256 } = generateFile(number * 900, 0);
      return { relativePath: `copies/${path}`, size: content.length, sha256 };
    }),
  ),
  authorizing('authorising 160 uploads in parts', (time) =>
    numbers(160).map((at) => ({ relativePath: `scans/${time}/${at}.ply`, size: LIMITS.multipartFrom })),
  ),
  authorizing('authorising an upload in 640 parts', () => [
    { relativePath: 'scans/all.ply', size: LIMITS.uploadBatch.bytes },
  ]),
  {
    name: 'completing an upload with 10,000 parts listed',
    async prepare(client, removeAbandoned) {
      const files = [{ path: 'scan.ply', size: LIMITS.multipartFrom }];
      const [transfer] = await client.authorize('largest', files);
      if (transfer?.kind !== 's3-multipart') throw new Error('A large file is not uploaded in parts.');
      const parts = numbers(LIMITS.parts).map(() => ({ partNumber: 1, etag: HASH.repeat(3) }));
      return post(new URL(transfer.complete.url).pathname, { parts })(client, removeAbandoned);
    },
  },
  {
    name: 'receiving a bundle of 256 files, 8 MiB',
    async prepare(client) {
      const content = (number: number) => Buffer.alloc(BUNDLE.bytes / BUNDLE.urls, String(number));
      const files = numbers(BUNDLE.urls).map((at) => ({ path: `bundled/${at}`, content: content(at) }));
      const body = await bundleOf(client, 'many-artifacts', files);
      return () => client.send('PUT', BUNDLE.path, { body });
    },
  },
  {
    name: 'a register with 60,000 artifacts named',
    times: 5,
    async prepare(client, removeAbandoned) {
      const folder = `${RESERVED_FOLDER}thumbnails/${'of-an-asset-'.repeat(8)}`;
      const paths = numbers(ARTIFACTS).map((number) => `${folder}${number}.webp`);
      const files = [{ path: 'a.stl', size: 1, sha256: '0'.repeat(64) }];
      const manifest = manifestOf({ files, generated: paths });
      await client.upload('many-artifacts', [{ path: MANIFEST_PATH, content: manifest }]);
      const artifacts = paths.map((path, size) => ({ path, size, sha256: HASH }));
      const body = Buffer.from(JSON.stringify({ manifestSha256: hash('sha256', manifest), artifacts }));
      return post(`${pathOf('many-artifacts')}/register`, body)(client, removeAbandoned);
    },
  },
  {
    name: 'a register of 900,000 files, 9,000 new',
    times: 0,
    async prepare(client) {
      const generation = Date.now();
      const isNew = (number: number) => number % 100 === 0;
      const files = numbers(FILE_COUNT).filter(isNew);
      for (let at = 0; at < files.length; at += BUNDLE.urls) {
        const some = files.slice(at, at + BUNDLE.urls).map((number) => generateFile(number, generation));
        await client.send('PUT', BUNDLE.path, { body: await bundleOf(client, 'largest', some) });
      }
      const manifest = generateManifest((number) => (isNew(number) ? generation : 0));
      await client.upload('largest', [{ path: MANIFEST_PATH, content: manifest }]);
      return () => client.register('largest', { manifestSha256: hash('sha256', manifest) });
    },
  },
];

/** Returns the body of a bundle with these files. */
async function bundleOf(
  client: Client,
  library: string,
  files: readonly { path: string; content: Buffer }[],
) {
  const sizes = files.map(({ path, content }) => ({ path, size: content.length }));
  const frames = (await client.authorize(library, sizes)).flatMap((transfer, at) => {
    const { pathname, search } = new URL(transfer.kind === 'single-put' ? transfer.put.url : '');
    const address = Buffer.from(pathname + search);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(address.length);
    return [length, address, files[at]?.content ?? Buffer.alloc(0)];
  });
  return Buffer.concat(frames);
}

const nodes =
  '{ nodes { id name path projectNodeId project { id slug displayName } bindrs { id name parentId } } }';
const projects =
  '{ total projects { id name slug displayName permissions { role project { read update delete } } } }';
const twenty = (part: (number: number) => string) =>
  post('/graphql', { query: `{ ${numbers(20).map(part)} }` });

const queries: Workload[] = [
  {
    name: 'GraphQL: 20 times a Note with 200 Nodes',
    prepare: twenty((at) => `n${at}: note(namespaceSlug: "wide", id: "${SPREAD_NOTE}") ${nodes}`),
  },
  {
    name: 'GraphQL: 20 pages of 200 projects',
    prepare: twenty(
      (at) => `p${at}: projectCatalog(namespaceSlug: "${NAMESPACE}", pageSize: 200) ${projects}`,
    ),
  },
];

/** As many JSON values as fit into the largest body. */
const nonsense = (name: string, path: string, bytes: number): Workload => ({
  name: `nonsense of ${name}`,
  times: 3,
  prepare: post(path, Buffer.from(`[${'[],'.repeat((bytes - 10) / 3 - 2)}[]]`)),
});

const junk = [
  nonsense('16 MiB (register)', `${LARGEST}/register`, LIMITS.registerBody),
  nonsense('8 MiB (presign)', `${LARGEST}/files-presign`, LIMITS.pathsBody),
  nonsense('1 MiB (patch)', LARGEST, LIMITS.jsonBody),
  nonsense('1 MiB (GraphQL)', '/graphql', LIMITS.jsonBody),
];

/** As many different words as fit into the longest query, each a prefix of another word. */
const MANY_WORDS = [...'abcdefghijklmnopqrstuvwxyz0123456789']
  .flatMap((letter) => [letter, `a${letter}`, `r${letter}`, `0${letter}`])
  .join(' ')
  .slice(0, 500);

const searches: Workload[] = [
  { name: 'keyword', q: 'red chair' },
  { name: 'keyword (a letter that every asset has)', q: 'a' },
  { name: 'keyword (150 words)', q: MANY_WORDS },
  { name: 'browsing', q: '' },
  { name: 'fused', q: 'red chair', environment: { BINDERY_ENCODER: SMALL_MODEL } },
].flatMap(({ name, q, environment = {} }): Workload[] => {
  const one = new URLSearchParams({ q, limit: '200', explain: 'true' });
  const libraries = SEARCHED.map((library) => `${OWNER}/${library}`).join(',');
  const all = new URLSearchParams({ q, limit: '200', explain: 'true', libraries });
  const [ofOne, ofAll] = [get(`${pathOf('library-0')}/search?${one}`), get(`/library-search?${all}`)];
  return [
    { name: `${name} search of 50,000 assets`, environment, prepare: ofOne },
    { name: `${name} search of 50 × 50,000 assets`, times: 10, environment, prepare: ofAll },
  ];
});

const removal: Workload = {
  name: 'removing 500,000 abandoned uploads',
  times: 0,
  seed: (dataDir) => seedAbandoned(dataDir, 500_000),
  prepare: async (_, removeAbandoned) => removeAbandoned,
};

/** All requests known to be expensive. */
export const WORKLOADS: Workload[] = [...reads, ...uploads, ...queries, ...junk, ...searches, removal];
