import { hash } from 'node:crypto';
import { BUNDLE, LIMITS, MANIFEST_PATH, RESERVED_FOLDER, type Transfer } from '@bindery/contract';
import { NAMESPACE, SPREAD_NOTE } from '../collaboration/world.ts';
import { generateFile, generateManifest } from '../large-manifest.ts';
import type { MeasuredService } from './service.ts';
import type { Workload } from './workload.ts';
import { ASSETS, LARGEST, LIBRARIES, MANY_ARTIFACTS, manifestOfManyArtifacts } from './world.ts';

const HASH = '0123456789abcdef'.repeat(4);

/** A path of nearly the maximum length. */
const longPath = (number: number) => `${'a-folder-of-parts/'.repeat(56)}${number}`;

const numbers = (length: number) => Array.from({ length }, (_, number) => number);

/** Sends a body repeatedly; any response status is accepted, because refusing is work as well. */
function post(path: string, body: Buffer | ((time: number) => unknown)): Workload['prepare'] {
  return async (service) => (time) =>
    service.send('POST', path, {
      body: Buffer.isBuffer(body) ? body : JSON.stringify(body(time)),
      expected: 'any',
    });
}

/** As many JSON values as fit into the given number of bytes. */
function junkBody(bytes: number): Buffer {
  return Buffer.from(`[${'[],'.repeat(bytes / 3 - 2)}[]]`);
}

const authorizations = (name: string) => `${LIBRARIES}/${name}/upload-authorizations`;

async function authorize(
  service: MeasuredService,
  name: string,
  files: { path: string; size: number }[],
): Promise<Transfer[]> {
  const asked = { files: files.map(({ path, size }) => ({ relativePath: path, size })) };
  const answer = await service.send('POST', authorizations(name), { body: JSON.stringify(asked) });
  const { files: granted } = JSON.parse(answer.toString()) as { files: { transfer: Transfer }[] };
  return granted.map(({ transfer }) => transfer);
}

async function upload(service: MeasuredService, name: string, path: string, content: Buffer): Promise<void> {
  const [transfer] = await authorize(service, name, [{ path, size: content.length }]);
  if (transfer?.kind === 'single-put') await service.send('PUT', transfer.put.url, { body: content });
  if (transfer?.kind !== 's3-multipart') return;
  for (const { partNumber, size, url } of transfer.parts) {
    const start = (partNumber - 1) * transfer.partSize;
    await service.send('PUT', url, { body: content.subarray(start, start + size) });
  }
  await service.send('POST', transfer.complete.url, { body: JSON.stringify({ parts: [] }) });
}

/** Returns bundle bodies with these files, each with the maximum number of files. */
async function bundles(
  service: MeasuredService,
  name: string,
  files: { path: string; content: Buffer }[],
): Promise<Buffer[]> {
  const bodies: Buffer[] = [];
  for (let at = 0; at < files.length; at += BUNDLE.urls) {
    const some = files.slice(at, at + BUNDLE.urls);
    const transfers = await authorize(
      service,
      name,
      some.map(({ path, content }) => ({ path, size: content.length })),
    );
    const frames = transfers.flatMap((transfer, place) => {
      const { pathname, search } = new URL(transfer.kind === 'single-put' ? transfer.put.url : '');
      const address = Buffer.from(pathname + search);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(address.length);
      return [length, address, (some[place] as { content: Buffer }).content];
    });
    bodies.push(Buffer.concat(frames));
  }
  return bodies;
}

const uploadWorkloads: Workload[] = [
  {
    name: 'presigning 1,000 files',
    prepare: post(`${LIBRARIES}/${LARGEST}/files-presign`, () => ({
      paths: numbers(LIMITS.presignPaths).map((number) => generateFile(number * 900, 0).path),
    })),
  },
  {
    name: 'authorising 1,000 uploads with the longest paths',
    prepare: post(authorizations(LARGEST), () => ({
      files: numbers(1_000).map((number) => ({ relativePath: longPath(number), size: 1, sha256: HASH })),
    })),
  },
  {
    name: 'authorising 1,000 uploads of what is there',
    prepare: post(authorizations(LARGEST), () => ({
      files: numbers(1_000).map((number) => {
        const { path, content, sha256 } = generateFile(number * 900, 0);
        return { relativePath: `copies/${path}`, size: content.length, sha256 };
      }),
    })),
  },
  {
    name: 'authorising 160 uploads in parts',
    prepare: post(authorizations(LARGEST), (time) => ({
      files: numbers(160).map((number) => ({
        relativePath: `scans/${time}/${number}.ply`,
        size: LIMITS.multipartFrom,
      })),
    })),
  },
  {
    name: 'authorising an upload in 640 parts',
    prepare: post(authorizations(LARGEST), () => ({
      files: [{ relativePath: 'scans/all.ply', size: LIMITS.uploadBatch.bytes }],
    })),
  },
  {
    name: 'completing an upload with 10,000 parts listed',
    async prepare(service) {
      const [transfer] = await authorize(service, LARGEST, [
        { path: 'scan.ply', size: LIMITS.multipartFrom },
      ]);
      if (transfer?.kind !== 's3-multipart') throw new Error('A large file is not uploaded in parts.');
      const parts = numbers(LIMITS.parts).map(() => ({ partNumber: 1, etag: HASH.repeat(3) }));
      return post(new URL(transfer.complete.url).pathname, () => ({ parts }))(service);
    },
  },
  {
    name: 'receiving a bundle of 256 files, 8 MiB',
    async prepare(service) {
      const size = BUNDLE.bytes / BUNDLE.urls;
      const files = numbers(BUNDLE.urls).map((number) => ({
        path: `bundled/${number}`,
        content: Buffer.alloc(size, String(number)),
      }));
      const [body] = await bundles(service, MANY_ARTIFACTS.name, files);
      return () => service.send('PUT', BUNDLE.path, { body });
    },
  },
];

const registerWorkloads: Workload[] = [
  {
    name: 'a register with 60,000 artifacts named',
    times: 5,
    async prepare(service) {
      const paths = numbers(MANY_ARTIFACTS.artifacts).map(
        (number) => `${RESERVED_FOLDER}thumbnails/${'of-an-asset-'.repeat(8)}${number}.webp`,
      );
      const manifest = manifestOfManyArtifacts(paths);
      await upload(service, MANY_ARTIFACTS.name, MANIFEST_PATH, manifest);
      const artifacts = paths.map((path, size) => ({ path, size, sha256: HASH }));
      const body = Buffer.from(JSON.stringify({ manifestSha256: hash('sha256', manifest), artifacts }));
      return post(`${LIBRARIES}/${MANY_ARTIFACTS.name}/register`, body)(service);
    },
  },
  {
    name: 'a register of 900,000 files, 9,000 new',
    times: 0,
    async prepare(service) {
      const generation = Date.now();
      const isNew = (number: number) => number % 100 === 0;
      const files = numbers(ASSETS * 18)
        .filter(isNew)
        .map((number) => generateFile(number, generation));
      for (const body of await bundles(service, LARGEST, files)) {
        await service.send('PUT', BUNDLE.path, { body });
      }
      const manifest = generateManifest((number) => (isNew(number) ? generation : 0));
      await upload(service, LARGEST, MANIFEST_PATH, manifest);
      const body = JSON.stringify({ manifestSha256: hash('sha256', manifest) });
      return () => service.send('POST', `${LIBRARIES}/${LARGEST}/register`, { body });
    },
  },
];

const nodes =
  '{ nodes { id name path projectNodeId project { id slug displayName } bindrs { id name parentId } } }';
const projects =
  '{ total projects { id name slug displayName permissions { role project { read update delete } } } }';

const graphqlWorkloads: Workload[] = [
  {
    name: 'GraphQL: 20 times a Note with 200 Nodes',
    prepare: post('/graphql', () => ({
      query: `{ ${numbers(20).map((number) => `n${number}: note(namespaceSlug: "wide", id: "${SPREAD_NOTE}") ${nodes}`)} }`,
    })),
  },
  {
    name: 'GraphQL: 20 pages of 200 projects',
    prepare: post('/graphql', () => ({
      query: `{ ${numbers(20).map((number) => `p${number}: projectCatalog(namespaceSlug: "${NAMESPACE}", pageSize: 200) ${projects}`)} }`,
    })),
  },
];

const junkWorkloads: Workload[] = [
  {
    name: 'nonsense of 16 MiB (register)',
    path: `${LIBRARIES}/${LARGEST}/register`,
    bytes: LIMITS.registerBody,
  },
  {
    name: 'nonsense of 8 MiB (presign)',
    path: `${LIBRARIES}/${LARGEST}/files-presign`,
    bytes: LIMITS.pathsBody,
  },
  { name: 'nonsense of 1 MiB (patch)', path: `${LIBRARIES}/${LARGEST}`, bytes: LIMITS.jsonBody },
  { name: 'nonsense of 1 MiB (GraphQL)', path: '/graphql', bytes: LIMITS.jsonBody },
].map(({ name, path, bytes }) => ({ name, times: 3, prepare: post(path, junkBody(bytes - 10)) }));

/** Work that is expensive because of what clients send. */
export const bodyWorkloads: Workload[] = [
  ...uploadWorkloads,
  ...registerWorkloads,
  ...graphqlWorkloads,
  ...junkWorkloads,
];
