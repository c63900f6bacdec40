import { homedir } from 'node:os';
import { join } from 'node:path';
import { ENGINES, LIMITS, MIN_TRANSFER_RATE } from '@bindery/contract';
import { DEFAULT_MODEL_NAME, INCLUDED_MODEL, modelFolder, modelId } from '@bindery/encoder';
import { z } from 'zod';
import { OIDC_VARIABLES, type OidcSettings, readOidc } from './oidc.ts';
import { readS3, S3_VARIABLES, type S3Settings } from './s3.ts';
import {
  ConfigurationError,
  foundValue,
  host,
  hostAndPort,
  hostPatterns,
  isEndpoint,
  isPostgresUrl,
  isSearchUrl,
  listOf,
  networkList,
  oneOf,
  origin,
  originsOr,
  POSTGRES_URL,
  SEARCH_URL,
  whole,
  wholeOr,
} from './values.ts';

export type { OidcSettings } from './oidc.ts';
export type { S3Settings } from './s3.ts';
export { ConfigurationError } from './values.ts';

/** What an operator sets, by flag or environment. Times are seconds unless the name says otherwise. */
export interface Configuration {
  host: string;
  port: number;
  /** The origin that clients see, if there is a proxy in front of the service. */
  publicUrl: string | null;
  dataDir: string;
  /** `postgres://…`, or null for the embedded database in the data folder. */
  databaseUrl: string | null;
  /** The bucket that holds the objects; null for the data folder. */
  s3: S3Settings | null;
  role: 'all' | 'api' | 'auth';
  /** `NODE_ENV=development`: serves the page for trying GraphQL queries. */
  development: boolean;
  signup: 'closed' | 'invite' | 'open';
  /**
   * Which pages may show an asset in a frame: `public` is every page, for public libraries; `any` and listed origins
   * also for private ones, to whoever has a share token.
   */
  embedOrigins: 'public' | 'any' | 'off' | readonly string[];
  /** How long a service that was told to stop still accepts requests while `/readyz` turns load balancers away. */
  drainSeconds: number;
  /** Requests per minute and caller, or null for no general limit. */
  rateLimit: number | null;
  /** Maximum number of concurrent uploads and downloads over presigned URLs, in total and per address. */
  maxTransfers: number;
  maxTransfersPerAddress: number;
  /** Bytes per second that every request and response must transfer on average; null for no minimum. */
  minTransferRate: number | null;
  /** Mean delay of the event loop over a second, in milliseconds, from which requests are rejected; null for never. */
  maxDelay: number | null;
  /** Where metrics are served, separately from the public listener; null for nowhere. */
  metricsAddress: { host: string; port: number } | null;
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Maximum bytes of downloads held in memory, for all readers together. */
  sendMemoryBytes: number;
  /** How long lines of the audit log are kept. */
  auditDays: number;
  /** Bytes of objects to read again per second, in the background; null for none. */
  scrubRate: number | null;
  /** Whether downloads and uses of assets are counted. */
  countsUse: boolean;
  /** How long deliveries of webhooks are kept, sent or not. */
  webhookDays: number;
  /** Networks that webhooks can be sent to besides the public internet. */
  webhookNetworks: string[];
  /** Hosts from which watched libraries are imported, each perhaps with `*.` in front; none: nothing is watched. */
  importHosts: string[];
  /** Networks that these hosts can be in besides the public internet. */
  importNetworks: string[];
  /** The address of a server that speaks as Hugging Face does, of which the door keeps what it lacks; null for none. */
  upstreamHuggingFace: string | null;
  /** Maximum bytes that are kept of it. */
  upstreamBytes: number;
  /** How long a replaced revision's files are kept; never less than the longest presigned lifetime. */
  reclaimGraceSeconds: number;
  /** For how many days a replaced revision can be read and restored; 0 for the grace period alone. */
  historyDays: number;
  /** Bytes of the disk that uploads leave free, so that the database can keep working. */
  diskReserveBytes: number;
  /** Maximum bytes that one account can have uploaded and not registered; `half` of the disk, or null for no limit. */
  maxUnregistered: number | 'half' | null;
  /** How many team namespaces one account can create; null for no limit. Operators have none. */
  maxNamespaces: number | null;
  /** Maximum bytes of opened revision indexes held in memory. */
  indexCacheBytes: number;
  /** The id of the model that encodes queries, if it is installed; null for searches by keyword only. */
  encoder: string | null;
  /** The id of the model to use if that one is not installed; null for none. */
  encoderFallback: string | null;
  /**
   * Of which libraries that have none of its model the service makes vectors: of all if that is named, else of those that
   * come with vectors of another model.
   */
  derivesVectors: 'all' | 'embedded' | 'none';
  /** The URL of the search engine that searches of many libraries ask; null for none. */
  searchEngine: string | null;
  /** Where models are stored. */
  modelDir: string;
  /** Engines that simulate robots beside MuJoCo, and the Python that has them. */
  engines: readonly string[];
  python: string;
  /** The file of synonyms for searches by relevance; null for the one that comes with the service. */
  synonymsFile: string | null;
  /** Maximum bytes of vectors held in memory. */
  vectorMemoryBytes: number;
  /** Whether people can sign in with a password. */
  passwords: boolean;
  /** The OpenID Connect provider that people can sign in through; null for none. */
  oidc: OidcSettings | null;
  /** Addresses of proxies whose forwarded headers are trusted. */
  trustedProxies: string[];
}

const MIB = 1_024 * 1_024;
const GIB = 1_024 * MIB;

const port = whole({ min: 0, max: 65_535 });

function isModelName(name: string): boolean {
  try {
    modelId(name);
    return true;
  } catch {
    return false;
  }
}

const environment = z.object({
  BINDERY_HOST: host().default('127.0.0.1'),
  BINDERY_PORT: port.default(7420),
  BINDERY_PUBLIC_URL: origin().optional(),
  BINDERY_DATA_DIR: z.string().optional(),
  BINDERY_DATABASE_URL: z.string().refine(isPostgresUrl, { error: POSTGRES_URL }).optional(),
  ...S3_VARIABLES,
  BINDERY_ROLE: oneOf('all', 'api', 'auth').default('all'),
  BINDERY_SIGNUP: oneOf('closed', 'invite', 'open').default('invite'),
  ...OIDC_VARIABLES,
  BINDERY_EMBED_ORIGINS: originsOr('public', 'any', 'off').default('public'),
  BINDERY_DRAIN: whole({ min: 0, max: 3_600 }).default(0),
  BINDERY_RATE_LIMIT: wholeOr('requests per minute', { min: 1 }, 'off').default('off'),
  BINDERY_MAX_TRANSFERS: whole({ min: 1 }).default(2_048),
  BINDERY_TRANSFERS_PER_IP: whole({ min: 1 }).default(512),
  BINDERY_MIN_TRANSFER_RATE: wholeOr('bytes per second', { min: 1 }, 'off').default(MIN_TRANSFER_RATE),
  BINDERY_MAX_DELAY_MS: wholeOr('milliseconds', { min: 1 }, 'off').default(1_000),
  BINDERY_METRICS: hostAndPort().optional(),
  BINDERY_LOG_LEVEL: oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent').default('info'),
  BINDERY_SEND_MEMORY_MIB: whole({ min: 1 }).default(64),
  BINDERY_AUDIT_DAYS: whole({ min: 1, max: 36_500 }).default(365),
  BINDERY_USAGE_COUNTS: oneOf('on', 'off').default('on'),
  BINDERY_WEBHOOK_DAYS: whole({ min: 1, max: 3_650 }).default(30),
  BINDERY_RECLAIM_GRACE: whole({ min: LIMITS.presignTtl.max }).default(86_400),
  BINDERY_HISTORY: whole({ min: 0, max: 3_650 }).default(30),
  BINDERY_SCRUB_RATE: wholeOr('MiB per second', { min: 1 }, 'off').default('off'),
  BINDERY_DISK_RESERVE_MIB: whole({ min: 0 }).default(512),
  BINDERY_MAX_UNREGISTERED_GIB: wholeOr('GiB', { min: 1 }, 'half', 'off').default('half'),
  BINDERY_NAMESPACES_PER_ACCOUNT: wholeOr('namespaces', { min: 0 }, 'off').default(10),
  BINDERY_INDEX_CACHE_MIB: whole({ min: 1 }).default(1_536),
  BINDERY_ENCODER: z
    .string()
    .default('auto')
    .refine((name) => name === 'auto' || name === 'off' || isModelName(name), {
      error: 'auto, siglip2, clip, included, <library>/<model>/<pretrained>, or "off"',
    }),
  BINDERY_SEARCH: z.string().refine(isSearchUrl, { error: SEARCH_URL }).optional(),
  BINDERY_SYNONYMS: z.string().optional(),
  BINDERY_ENGINES: listOf((entry) => ENGINES.some((name) => name === entry), ENGINES.join(', ')),
  BINDERY_PYTHON: z.string().default('python3'),
  BINDERY_VECTOR_MEMORY_MIB: whole({ min: 384, max: 4_000 }).default(2_048),
  BINDERY_TRUSTED_PROXIES: networkList(),
  BINDERY_WEBHOOK_NETWORKS: networkList(),
  BINDERY_IMPORT_HOSTS: hostPatterns(LIMITS.watches.hosts),
  BINDERY_IMPORT_NETWORKS: networkList(),
  BINDERY_UPSTREAM_HF: z
    .string()
    .refine(isEndpoint, { error: 'an http:// or https:// URL without a user, query and fragment' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  BINDERY_UPSTREAM_GIB: whole({ min: 1 }).default(50),
});

/** The names of all settings that are read here. */
export const SETTINGS: readonly string[] = Object.keys(environment.shape);

/** Settings whose values are not repeated in error messages. */
const SECRETS = new Set(['BINDERY_DATABASE_URL', 'BINDERY_SEARCH', 'BINDERY_OIDC_CLIENT_SECRET']);

/** Reads the configuration from environment variables, which the caller has overridden with command-line flags. */
export function readConfiguration(variables: Record<string, string | undefined>): Configuration {
  const set = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environment.safeParse(set);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const name = String(issue?.path[0]);
    throw new ConfigurationError(
      `${name}: it must be ${issue?.message}${SECRETS.has(name) ? '' : foundValue(String(set[name]))}.`,
    );
  }
  const env = parsed.data;
  return {
    host: env.BINDERY_HOST,
    port: env.BINDERY_PORT,
    publicUrl: env.BINDERY_PUBLIC_URL ?? null,
    dataDir: env.BINDERY_DATA_DIR ?? defaultDataDir(variables),
    databaseUrl: env.BINDERY_DATABASE_URL ?? null,
    s3: readS3(env, set),
    role: env.BINDERY_ROLE,
    development: variables.NODE_ENV === 'development',
    signup: env.BINDERY_SIGNUP,
    embedOrigins: env.BINDERY_EMBED_ORIGINS,
    drainSeconds: env.BINDERY_DRAIN,
    rateLimit: env.BINDERY_RATE_LIMIT === 'off' ? null : env.BINDERY_RATE_LIMIT,
    maxTransfers: env.BINDERY_MAX_TRANSFERS,
    maxTransfersPerAddress: env.BINDERY_TRANSFERS_PER_IP,
    minTransferRate: env.BINDERY_MIN_TRANSFER_RATE === 'off' ? null : env.BINDERY_MIN_TRANSFER_RATE,
    maxDelay: env.BINDERY_MAX_DELAY_MS === 'off' ? null : env.BINDERY_MAX_DELAY_MS,
    metricsAddress: env.BINDERY_METRICS ?? null,
    logLevel: env.BINDERY_LOG_LEVEL,
    sendMemoryBytes: env.BINDERY_SEND_MEMORY_MIB * MIB,
    auditDays: env.BINDERY_AUDIT_DAYS,
    countsUse: env.BINDERY_USAGE_COUNTS === 'on',
    webhookDays: env.BINDERY_WEBHOOK_DAYS,
    webhookNetworks: env.BINDERY_WEBHOOK_NETWORKS,
    importHosts: env.BINDERY_IMPORT_HOSTS,
    importNetworks: env.BINDERY_IMPORT_NETWORKS,
    upstreamHuggingFace: env.BINDERY_UPSTREAM_HF ?? null,
    upstreamBytes: env.BINDERY_UPSTREAM_GIB * GIB,
    reclaimGraceSeconds: env.BINDERY_RECLAIM_GRACE,
    historyDays: env.BINDERY_HISTORY,
    scrubRate: env.BINDERY_SCRUB_RATE === 'off' ? null : env.BINDERY_SCRUB_RATE * MIB,
    diskReserveBytes: env.BINDERY_DISK_RESERVE_MIB * MIB,
    maxUnregistered: maxUnregistered(env.BINDERY_MAX_UNREGISTERED_GIB),
    maxNamespaces: env.BINDERY_NAMESPACES_PER_ACCOUNT === 'off' ? null : env.BINDERY_NAMESPACES_PER_ACCOUNT,
    indexCacheBytes: env.BINDERY_INDEX_CACHE_MIB * MIB,
    ...readEncoder(env.BINDERY_ENCODER),
    modelDir: modelFolder(variables),
    searchEngine: env.BINDERY_SEARCH ?? null,
    synonymsFile: env.BINDERY_SYNONYMS ?? null,
    engines: env.BINDERY_ENGINES,
    python: env.BINDERY_PYTHON,
    vectorMemoryBytes: env.BINDERY_VECTOR_MEMORY_MIB * MIB,
    passwords: env.BINDERY_PASSWORDS === 'on',
    oidc: readOidc(env, set),
    trustedProxies: env.BINDERY_TRUSTED_PROXIES,
  };
}

function readEncoder(setting: string): Pick<Configuration, 'encoder' | 'encoderFallback' | 'derivesVectors'> {
  if (setting === 'off') return { encoder: null, encoderFallback: null, derivesVectors: 'none' };
  if (setting !== 'auto') return { encoder: modelId(setting), encoderFallback: null, derivesVectors: 'all' };
  return {
    encoder: modelId(DEFAULT_MODEL_NAME),
    encoderFallback: INCLUDED_MODEL,
    derivesVectors: 'embedded',
  };
}

function maxUnregistered(setting: number | 'half' | 'off'): Configuration['maxUnregistered'] {
  if (setting === 'off') return null;
  return setting === 'half' ? 'half' : setting * GIB;
}

function defaultDataDir(variables: Record<string, string | undefined>): string {
  return join(variables.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'bindery');
}

/** Settings of the command line, and of parts of the service that read them themselves. */
const OTHERS = [
  'BINDERY_API_URL',
  'BINDERY_AUTH_URL',
  'BINDERY_CACHE',
  'BINDERY_CONFIG_DIR',
  'BINDERY_DEBUG',
  'BINDERY_MODEL_DIR',
  'BINDERY_NO_KEYCHAIN',
  'BINDERY_RENDER_MEMORY',
  'BINDERY_TOKEN',
];
const KNOWN = [...SETTINGS, ...OTHERS];
const OF_TESTS = 'BINDERY_TEST_';

interface UnknownSetting {
  name: string;
  /** The setting with the most similar name. */
  nearest: string;
}

/** Returns variables that look like settings of Bindery but are not. */
export function unknownSettings(variables: Record<string, string | undefined>): UnknownSetting[] {
  return Object.keys(variables)
    .filter((name) => name.startsWith('BINDERY_') && !name.startsWith(OF_TESTS) && !KNOWN.includes(name))
    .sort()
    .map((name) => ({ name, nearest: nearestOf(name) }));
}

function nearestOf(name: string): string {
  const ranked = KNOWN.map((known) => ({ known, distance: editDistance(name, known) }));
  return ranked.reduce((best, next) => (next.distance < best.distance ? next : best)).known;
}

/** The Levenshtein distance of two texts. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(changed, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
  }
  return row[b.length] ?? 0;
}
