import type { lookup } from 'node:dns';
import { statfs } from 'node:fs/promises';
import { killOnMemoryLimitOrOrphaned, serveProcessTasks } from '@bindery/concurrency/process';
import { LIMITS } from '@bindery/contract';
import { BinderyError, createClient, openTransport, type Transport } from '@bindery/sdk';
import { ImportError, importLibrary, parseSource, type Reach } from '@bindery/sdk/import';
import type { ImportOutcome, ImportTask } from '../../libraries/watching/importer.ts';
import { allowedLookup, literalOf, ReceiverAddresses } from '../allowed-addresses.ts';
import { isMissingRenderer } from '../conversions/renderer.ts';

export interface ImportSettings extends ReachSettings {
  memoryMiB: number;
  /** Bytes of the disk that stay free. */
  reserveBytes: number;
}

export type ImportProcessTask =
  | { kind: 'check'; source: string }
  | {
      kind: 'run';
      task: ImportTask;
      folder: string;
      /** Where this machine reaches the service, and how its own addresses begin. */
      service: { local: string; public: string };
    };

/** Sources may be anywhere that operators allow, and nothing of this machine signs in to them. */
const ENVIRONMENT = { HF_ENDPOINT: process.env.HF_ENDPOINT };

const DISK_CHECKED_EVERY = 1_000;

serveProcessTasks<ImportSettings, ImportProcessTask>((settings) => {
  killOnMemoryLimitOrOrphaned(settings.memoryMiB * 2 ** 20);
  return async (asked) => (asked.kind === 'check' ? problemOf(settings, asked.source) : run(settings, asked));
});

function problemOf(settings: ImportSettings, source: string): string | null {
  try {
    const address = parseSource(source).address(ENVIRONMENT);
    if (address === null) return 'a list is on one machine; import it there.';
    const { username, password, search, hash } = new URL(address);
    if (`${username}${password}${search}${hash}` !== '')
      return 'an address without a user name, password, query and fragment, as others can read it.';
    createReach(settings).require(new URL(address));
    return null;
  } catch (error) {
    if (error instanceof ImportError) return error.message;
    throw error;
  }
}

async function run(
  settings: ImportSettings,
  { task, folder, service }: Extract<ImportProcessTask, { kind: 'run' }>,
): Promise<ImportOutcome> {
  const { source, library, token, maxBytes } = task;
  const transport = toLocal(openTransport(), service);
  const client = createClient({ baseUrl: service.local, token, transport, userAgent: 'bindery-watch' });
  using disk = watchDisk(folder, settings.reserveBytes);
  await using renderer = await openRenderer();
  try {
    const { status, revision, sourceRevision, assets, gone, notImported } = await importLibrary(
      client,
      library,
      source,
      {
        ...{ cacheFolder: folder, stateFolder: folder, environment: ENVIRONMENT, signal: disk.signal },
        ...{ reach: createReach(settings), maxBytes: maxBytes ?? undefined, renderer: renderer ?? undefined },
      },
    );
    return {
      kind: 'done',
      result: {
        ...{
          sourceRevision,
          revision: status === 'published' ? revision : null,
          leftOut: notImported.length,
        },
        assets: { added: assets.added.length, changed: assets.changed.length },
        gone: { count: gone.length, ids: gone.slice(0, LIMITS.listedPaths) },
      },
    };
  } catch (error) {
    const reason = disk.signal.aborted ? disk.signal.reason : error;
    if (reason instanceof BinderyError) return { kind: 'failed', problem: reason.message.slice(0, 1_000) };
    throw reason;
  } finally {
    await client.close();
  }
}

/** The service's own addresses begin as its clients reach it, which this machine need not be able to. */
function toLocal(
  transport: Transport,
  { local, public: origin }: { local: string; public: string },
): Transport {
  const here = <Request extends { url: string }>(request: Request): Request =>
    request.url.startsWith(`${origin}/`)
      ? { ...request, url: local + request.url.slice(origin.length) }
      : request;
  return {
    send: (request) => transport.send(here(request)),
    sendTo: (request, sink) => transport.sendTo(here(request), sink),
    close: () => transport.close(),
  };
}

/** Aborts before what arrives fills the disk, whichever program writes it. */
function watchDisk(folder: string, reserveBytes: number): { signal: AbortSignal } & Disposable {
  const full = new AbortController();
  const timer = setInterval(async () => {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < reserveBytes)
      full.abort(new ImportError('source_refused', 'The disk of the service has no room for the source.'));
  }, DISK_CHECKED_EVERY);
  return { signal: full.signal, [Symbol.dispose]: () => clearInterval(timer) };
}

/** Draws and measures, where this installation can. */
async function openRenderer() {
  try {
    const { createThumbnailPool, RENDERER_VERSION } = await import('@bindery/render');
    const pool = createThumbnailPool({ workers: 1, timeoutMs: 60_000, memoryMiB: 2_048 });
    return { ...pool, version: RENDERER_VERSION, concurrency: 1 };
  } catch (error) {
    if (isMissingRenderer(error)) return null;
    throw error;
  }
}

interface ReachSettings {
  /** Hosts of sources and of what they redirect to; `*.example.org` is all below it. */
  hosts: readonly string[];
  /** Networks that they can be in besides the public internet. */
  networks: readonly string[];
}

/**
 * Where imports may go: to the hosts that the operator named, over HTTPS, at addresses of the public internet or of the
 * networks that the operator added; there, a host that is named by its address can also be without HTTPS.
 */
export function createReach({ hosts, networks }: ReachSettings, resolve?: typeof lookup): Reach {
  const addresses = new ReceiverAddresses(networks);
  return {
    require(url) {
      const { hostname, protocol } = url;
      const host = hostname.replace(/^\[|\]$/g, '');
      const isNamed = hosts.some((entry) =>
        entry.startsWith('*.') ? host.endsWith(entry.slice(1)) : host === entry,
      );
      if (!isNamed) throw refused(`${host} is not among the hosts of BINDERY_IMPORT_HOSTS`);
      const address = literalOf(url);
      if (address !== null && !addresses.isAllowed(address))
        throw refused(
          `${host} is not of the public internet, and BINDERY_IMPORT_NETWORKS does not name its network`,
        );
      if (protocol !== 'https:' && !(protocol === 'http:' && address !== null && addresses.isOwn(address)))
        throw refused(`${url.protocol}//${host} is not reached over HTTPS`);
    },
    lookup: allowedLookup((address) => addresses.isAllowed(address), resolve),
  };
}

function refused(why: string): ImportError {
  return new ImportError('source_refused', `${why}.`);
}
