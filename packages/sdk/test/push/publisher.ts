import { BUNDLE } from '@bindery/contract';
import { onTestFinished } from 'vitest';
import { startService, type TestService } from '../../../server/test/service.ts';
import {
  type Client,
  createClient,
  openTransport,
  type ResponseSink,
  type Transport,
  type TransportRequest,
} from '../../src/index.ts';
import type { PushResult } from '../../src/push/publish.ts';
import { pushFolder } from '../../src/push/push.ts';
import type { PushOptions } from '../../src/push/source.ts';
import { temporaryFolder } from '../folder.ts';

export const ADDRESS = { namespace: 'ann', name: 'robots' };

/** Called before a request is sent; it may throw to break it. */
export type Watch = (request: TransportRequest) => void | Promise<void>;

/** Somebody with a machine of their own who publishes to a real service. */
export interface Publisher {
  client: Client;
  /** Requests so far, as `METHOD last-part-of-path`; those for bytes as `PUT bytes`, once for each file of a bundle. */
  requests: string[];
  watch: Watch | null;
  options: Pick<PushOptions, 'cacheFolder' | 'stateFolder'>;
  push(folder: string, more?: Partial<PushOptions>): Promise<PushResult>;
}

/** A real service, and people who may write to the namespace `ann` from machines of their own. */
export async function publishers(count: number): Promise<Publisher[]> {
  return publishersAt(await serviceForOneTest(), count);
}

export async function publishersAt(service: TestService, count: number): Promise<Publisher[]> {
  const token = await tokenOf(service, 'ann');
  return Array.from({ length: count }, () => publisher(service.url, token));
}

/** A real service, `ann`, and somebody who may read what is public in her namespace. */
export async function ownerAndReader(): Promise<[Publisher, Publisher]> {
  const service = await serviceForOneTest();
  const [ann, bob] = [await tokenOf(service, 'ann'), await tokenOf(service, 'bob')];
  return [publisher(service.url, ann), publisher(service.url, bob)];
}

export async function serviceForOneTest(): Promise<TestService> {
  const service = await startService();
  onTestFinished(() => service.close());
  return service;
}

async function tokenOf(service: TestService, userName: string): Promise<string> {
  const { headers } = await service.member(userName);
  return headers.authorization?.replace('Bearer ', '') ?? '';
}

function publisher(baseUrl: string, token: string): Publisher {
  const watched: Publisher = {
    requests: [],
    watch: null,
    options: { cacheFolder: temporaryFolder(), stateFolder: temporaryFolder() },
    client: createClient({
      baseUrl,
      token,
      retry: { attempts: 2, pause: 1, maxPause: 1_000 },
      transport: watchedTransport((request) => {
        const { pathname } = new URL(request.url);
        const files = pathname === BUNDLE.path ? filesOfBundle(request.body as Uint8Array) : 1;
        const what = request.method === 'PUT' ? 'bytes' : pathname.split('/').at(-1);
        for (let file = 0; file < files; file++) watched.requests.push(`${request.method} ${what}`);
        return watched.watch?.(request);
      }),
    }),
    push: (folder, more = {}) => pushFolder(watched.client, ADDRESS, folder, { ...watched.options, ...more }),
  };
  onTestFinished(() => watched.client.close());
  return watched;
}

function filesOfBundle(sent: Uint8Array): number {
  const body = Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength);
  let files = 0;
  for (let at = 0; at < body.length; files++) {
    const length = body.readUInt32BE(at);
    const address = body.toString('latin1', at + 4, at + 4 + length);
    at += 4 + length + Number(new URLSearchParams(address.split('?')[1]).get('size'));
  }
  return files;
}

function watchedTransport(watch: Watch): Transport {
  const transport = openTransport();
  return {
    async send(request) {
      await watch(request);
      return transport.send(request);
    },
    async sendTo(request, sink: ResponseSink) {
      await watch(request);
      return transport.sendTo(request, sink);
    },
    close: () => transport.close(),
  };
}
