import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { openDiskStore } from '../../src/adapters/objects/disk/disk-store.ts';
import type { ObjectStore, ReceivedUpload } from '../../src/objects/store.ts';

export interface TestStore {
  store: ObjectStore;
  /** What the store told of, in order. */
  received: ReceivedUpload[];
  close(): Promise<void>;
}

export interface DiskTestOptions {
  folder?: string;
  clock?: () => number;
  secret?: Uint8Array;
  reserveBytes?: number;
}

/** What all answers of a test store may read ahead. */
export const READ_AHEAD_BYTES = 1024 * 1024;

export interface DiskTestStore extends TestStore {
  folder: string;
  secret: Uint8Array;
  origin: string;
  /** A Unix socket where the same is served: the kernel keeps far less of an answer there than on the loopback. */
  socketPath: string;
}

/** A disk store behind a server that listens on a free port of the loopback. */
export async function openTestDiskStore(options: DiskTestOptions = {}): Promise<DiskTestStore> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'bindery-objects-')));
  const received: TestStore['received'] = [];
  let origin = '';
  const secret = options.secret ?? randomBytes(32);
  const store = await openDiskStore({
    folder,
    secret,
    publicUrl: () => origin,
    clock: options.clock ?? Date.now,
    log: pino({ level: 'silent' }),
    admit: () => {},
    readAheadBytes: READ_AHEAD_BYTES,
    intake: {
      reserve: async () => ({ [Symbol.dispose]() {} }),
      received: async (uploads) => {
        received.push(...uploads);
        return new Set();
      },
      partReceived: async () => {},
    },
    reserveBytes: options.reserveBytes ?? 0,
    isLost: async () => false,
    reportDamaged: () => {},
    owner: true,
  });
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    if (!store.responses.serveObjects(request, response)) response.writeHead(404).end();
  };
  const [server, socketServer] = [createServer(serve), createServer(serve)];
  // Not in the store's folder, which may be opened again after a crash left the socket there.
  const socketFolder = await mkdtemp(join(tmpdir(), 'bindery-socket-'));
  const socketPath = join(socketFolder, 'test.sock');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => socketServer.listen(socketPath, resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    store,
    received,
    folder,
    secret,
    origin,
    socketPath,
    close: async () => {
      for (const one of [server, socketServer]) {
        one.closeAllConnections();
        await new Promise((resolve) => one.close(resolve));
      }
      await store.close();
      await rm(socketFolder, { recursive: true, force: true });
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}
