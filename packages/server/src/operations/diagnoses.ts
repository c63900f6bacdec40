import { DAY } from '@bindery/contract/wire';
import { differencesOf, MAX_SKEW, type RunningServer } from '../cluster/cluster.ts';
import type { WaitingChanges } from '../metrics.ts';
import type { ScrubRow } from '../objects/health/scrub-progress.ts';
import type { DiskSpace, Verification } from '../objects/store.ts';

/** The result of checking one part of a service. */
export interface Diagnosis {
  part:
    | 'settings'
    | 'database'
    | 'schema'
    | 'clock'
    | 'servers'
    | 'store'
    | 'disk'
    | 'model'
    | 'search'
    | 'accounts'
    | 'damage'
    | 'scrub';
  /** `failed`: the service does not work, or soon will not. */
  status: 'ok' | 'warning' | 'failed';
  message: string;
  /** What to do about it; null if nothing needs to be done. */
  remedy: string | null;
}

const GIB = 1024 ** 3;

/** The difference between the clocks of this machine and of the database that is worth a warning, in milliseconds. */
const NOTABLE_SKEW = 2_000;

/** How far a clock differs from that of the database; both in milliseconds since 1970. */
export function diagnoseClock(here: number, database: number): Diagnosis {
  const skew = Math.abs(here - database);
  const message = `The clocks of this machine and of the database differ by ${(skew / 1_000).toFixed(1)} s.`;
  if (skew <= NOTABLE_SKEW) return { part: 'clock', status: 'ok', message, remedy: null };
  const remedy = 'Synchronize them (NTP): tokens and presigned URLs expire earlier or later by that much.';
  return { part: 'clock', status: skew > MAX_SKEW ? 'failed' : 'warning', message, remedy };
}

/** `refusal` is why the store accepts no uploads at the moment, or null. */
export function diagnoseStore(refusal: string | null, verification: Verification | null): Diagnosis {
  if (refusal !== null) {
    return { part: 'store', status: 'warning', message: refusal, remedy: 'Free space on the disk.' };
  }
  const reached = 'The files can be reached.';
  if (verification === null) return { part: 'store', status: 'ok', message: reached, remedy: null };
  const by =
    verification === 'read-back' ? 'this service, which reads each of them again' : 'the bucket itself';
  const message = `${reached} What clients send to the bucket is verified by ${by} (${verification}).`;
  return { part: 'store', status: 'ok', message, remedy: null };
}

/** Whether the servers that share the database can run side by side. */
export function diagnoseServers(servers: readonly RunningServer[]): Diagnosis {
  const message = `${servers.length} ${servers.length === 1 ? 'server runs' : 'servers run'} over this database`;
  const named = servers.map(({ host, version }) => `${host} (${version})`).join(', ');
  const differing = servers.flatMap((server) => {
    const others = servers.filter(({ id }) => id !== server.id);
    return differencesOf(server, others, { encodes: server.model !== null }).map(({ part, from }) => {
      const values = { store: server.store, model: server.model, clock: `${server.skew / 1_000} s` };
      const theirs = { store: from.store, model: from.model, clock: `${from.skew / 1_000} s` };
      return `${server.host} differs from the others in ${part} (${values[part]}, not ${theirs[part]})`;
    });
  });
  if (differing.length === 0) {
    const list = servers.length === 0 ? '' : `: ${named}`;
    return { part: 'servers', status: 'ok', message: `${message}${list}.`, remedy: null };
  }
  return {
    part: 'servers',
    status: 'failed',
    message: `${message}: ${named}; ${differing.join('; ')}.`,
    remedy:
      'Give all servers the same BINDERY_OBJECTS, AWS_ENDPOINT_URL and BINDERY_ENCODER, and synchronize their clocks (NTP).',
  };
}

/** Whether the disk has space for uploads; `space` is null for a bucket, which reports a lack of space itself. */
export function diagnoseDisk(space: DiskSpace | null): Diagnosis {
  if (space === null)
    return { part: 'disk', status: 'ok', message: 'The files are in a bucket.', remedy: null };
  const { total, free, reserve } = space;
  const message = `${(free / GIB).toFixed(1)} of ${(total / GIB).toFixed(1)} GiB are free, of which uploads leave ${(reserve / GIB).toFixed(1)}.`;
  if (free > reserve * 1.25) return { part: 'disk', status: 'ok', message, remedy: null };
  const remedy =
    'Free space, or purge libraries in the Trash; the largest are in "bindery admin namespaces".';
  return { part: 'disk', status: free <= reserve ? 'failed' : 'warning', message, remedy };
}

/** Which migrations are still to be applied. */
export function diagnoseSchema(
  applied: readonly string[],
  known: readonly string[],
  { byHand }: { byHand: boolean },
): Diagnosis {
  const missing = known.filter((name) => !applied.includes(name));
  const newest = applied.at(-1) ?? 'nothing';
  if (missing.length === 0) {
    return { part: 'schema', status: 'ok', message: `The newest migration is ${newest}.`, remedy: null };
  }
  const lacks = `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing.`;
  const message =
    applied.length === 0
      ? 'The database holds nothing yet.'
      : `The schema is that of an earlier version: ${lacks}`;
  return byHand
    ? {
        part: 'schema',
        status: 'failed',
        message,
        remedy: 'Create a backup, then run: bindery admin migrate',
      }
    : {
        part: 'schema',
        status: 'warning',
        message,
        remedy: 'Create a backup; the next start applies what is missing.',
      };
}

/** Whether somebody can administer the service. */
export function diagnoseAccounts(accounts: number, operators: number): Diagnosis {
  if (operators > 0 || accounts === 0) {
    const message =
      accounts === 0
        ? 'There are no accounts yet.'
        : `${operators} of ${accounts} accounts administer the service.`;
    const remedy = accounts === 0 ? 'Create the first one with the link that "bindery serve" prints.' : null;
    return { part: 'accounts', status: 'ok', message, remedy };
  }
  return {
    part: 'accounts',
    status: 'warning',
    message: 'No operator of the service can sign in.',
    remedy: 'Appoint one: bindery admin operator <userName>',
  };
}

/** What is known to be damaged. */
export function diagnoseDamage(objects: number): Diagnosis {
  if (objects === 0) {
    return {
      part: 'damage',
      status: 'ok',
      message: 'No stored object is known to be damaged.',
      remedy: null,
    };
  }
  return {
    part: 'damage',
    status: 'failed',
    message: `${objects} stored objects are known to be damaged.`,
    remedy:
      'List them with "bindery admin fsck"; anyone with a copy can restore them with "bindery library push --verify".',
  };
}

/** Whether queries are encoded as vectors. `failure` is the reason if they are not. */
export function diagnoseModel(
  configured: string | null,
  active: string | null,
  failure: string | null,
): Diagnosis {
  if (configured === null) {
    return {
      part: 'model',
      status: 'ok',
      message: 'Search by meaning is off (BINDERY_ENCODER=off).',
      remedy: null,
    };
  }
  if (active !== null && failure === null) {
    return { part: 'model', status: 'ok', message: `${active} encodes queries.`, remedy: null };
  }
  return {
    part: 'model',
    status: 'warning',
    message: `Searches use keywords only: ${failure ?? 'there is no model.'}`,
    remedy: 'Install the model (bindery model pull), or set BINDERY_ENCODER=off.',
  };
}

/** What a search engine has, and what it should have. */
export interface EngineFindings {
  /** What the database says that it has; null if it was given nothing yet. */
  stated: { libraries: number; assets: number } | null;
  /** How many assets it has; null if its index is gone. */
  assets: number | null;
  waiting: WaitingChanges;
  /** Why it does not answer; null if it does. */
  failure: string | null;
}

/** How long a library may wait to be published to the search engine, in seconds. */
const MAX_WAIT = 10 * 60;

/** Whether the search engine has what it should have, and answers. */
export function diagnoseSearch({ stated, assets, waiting, failure }: EngineFindings): Diagnosis {
  const warning = (message: string, remedy: string): Diagnosis => ({
    ...{ part: 'search', status: 'warning', message, remedy },
  });
  const meanwhile = 'Libraries are searched in the service itself.';
  if (failure !== null)
    return warning(
      `The search engine does not answer: ${failure} ${meanwhile}`,
      'Check BINDERY_SEARCH and the cluster.',
    );
  if (stated === null)
    return warning(
      `The search engine was given nothing yet. ${meanwhile}`,
      'Start the service: it does so by itself.',
    );
  if (assets !== stated.assets) {
    const found = assets === null ? 'nothing' : `${assets} assets`;
    return warning(
      `The search engine has ${found} where it should have ${stated.assets} assets.`,
      'Publish everything to it again: bindery admin reindex.',
    );
  }
  const lag = `${waiting.libraries} libraries wait to be published to it, one for ${Math.round(waiting.oldestSeconds)} s.`;
  if (waiting.oldestSeconds > MAX_WAIT)
    return warning(
      `${lag} ${meanwhile}`,
      'See the log of the service for why it cannot write to the cluster.',
    );
  const has = `The search engine has ${stated.assets} assets of ${stated.libraries} libraries.`;
  return {
    part: 'search',
    status: 'ok',
    message: waiting.libraries === 0 ? has : `${has} ${lag}`,
    remedy: null,
  };
}

/**
 * Whether stored files are read again in the background, and what the last round found; `rate` is in bytes per second,
 * null if they are not.
 */
export function diagnoseScrub(rate: number | null, row: ScrubRow | null, now: number): Diagnosis {
  const last =
    row === null || row.ended_at === null
      ? 'No pass has finished yet.'
      : `The last pass finished ${daysSince(row.ended_at, now)} and read ${row.last_objects} objects (${((row.last_bytes ?? 0) / GIB).toFixed(1)} GiB), of which ${row.last_damaged} were damaged.`;
  const reading = row === null || row.store_id === '' ? '' : ` This one has read ${row.objects}.`;
  const message =
    rate === null
      ? `Stored files are not read again in the background (BINDERY_SCRUB_RATE). ${last}`
      : `Stored files are read again in the background. ${last}${reading}`;
  if ((row?.last_damaged ?? 0) === 0) return { part: 'scrub', status: 'ok', message, remedy: null };
  const remedy =
    'List the files with "bindery admin fsck --read-data"; anyone with a copy can restore them with "bindery library push --verify".';
  return { part: 'scrub', status: 'warning', message, remedy };
}

function daysSince(time: number, now: number): string {
  const days = Math.max(0, Math.floor((now - time) / DAY));
  return days === 0 ? 'today' : `${days} ${days === 1 ? 'day' : 'days'} ago`;
}
