import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { openS3Store, type S3Store, type S3StoreOptions } from '../../../src/adapters/objects/s3/s3-store.ts';
import type { ReceivedUpload } from '../../../src/objects/store.ts';
import type { TestStore } from '../stores.ts';
import { makeBucket, type S3Access, type TestBucket } from './bucket.ts';

export interface S3TestStore extends TestStore {
  store: S3Store;
  bucket: TestBucket;
}

const CACHE_BYTES = 64 * 1024 * 1024;

/** An S3 store over a new bucket, behind a server that listens on a free port of the loopback. */
export async function openTestS3Store(
  access: S3Access,
  over: Partial<S3StoreOptions> & { bucket?: TestBucket; endpoint?: string } = {},
): Promise<S3TestStore> {
  const bucket = over.bucket ?? (await makeBucket(access));
  const cacheFolder = over.cacheFolder ?? (await mkdtemp(join(tmpdir(), 'bindery-s3-cache-')));
  const received: ReceivedUpload[] = [];
  let origin = '';
  const store = await openS3Store({
    location: {
      bucket: bucket.name,
      prefix: 'libraries',
      endpoint: over.endpoint ?? access.endpoint,
      region: 'us-east-1',
    },
    credentials: access,
    cacheFolder,
    cacheBytes: CACHE_BYTES,
    secret: randomBytes(32),
    publicUrl: () => origin,
    clock: Date.now,
    log: pino({ level: 'silent' }),
    admit: () => {},
    isLost: async () => false,
    intake: {
      reserve: async () => ({ [Symbol.dispose]() {} }),
      received: async (uploads) => {
        received.push(...uploads);
        return new Set();
      },
      partReceived: async () => {},
    },
    ...over,
  });
  const server = createServer((request, response) => {
    if (!store.responses.serveObjects(request, response)) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    store,
    bucket,
    received,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await store.close();
      if (over.cacheFolder === undefined) await rm(cacheFolder, { recursive: true, force: true });
    },
  };
}
