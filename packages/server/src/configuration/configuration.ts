import { homedir } from 'node:os';
import { join } from 'node:path';
import { ENGINES, LIMITS, MIN_TRANSFER_RATE } from '@bindery/contract';
import { DEFAULT_MODEL_NAME, INCLUDED_MODEL, modelFolder, modelId } from '@bindery/encoder';
import { closest } from 'fastest-levenshtein';
import { z } from 'zod';
import { OIDC_RULES, type OidcSettings, readOidc } from './oidc.ts';
import { readS3, S3_RULES, type S3Settings } from './s3.ts';
import {
  host,
  hostAndPort,
  hostPatterns,
  isEndpoint,
  isPostgresUrl,
  isSearchUrl,
  listOf,
  networkList,
  oneOf,
  onOrOff,
  optional,
  origin,
  originsOr,
  POSTGRES_URL,
  type ReadBy,
  type Rules,
  readByRules,
  SEARCH_URL,
  whole,
  wholeOrOff,
} from './values.ts';

export type { OidcSettings } from './oidc.ts';
export type { S3Settings } from './s3.ts';
export { ConfigurationError } from './values.ts';

const MIB = 1_024 * 1_024;
const GIB = 1_024 * MIB;

/** What an operator sets, by flag or environment. Times are seconds unless the name says otherwise. */
const RULES = {
  host: ['BINDERY_HOST', host().default('127.0.0.1')],
  port: ['BINDERY_PORT', whole({ min: 0, max: 65_535 }).default(7420)],
  /** The origin that clients see, if there is a proxy in front of the service. */
  publicUrl: ['BINDERY_PUBLIC_URL', optional(origin())],
  /** `postgres://…`, or null for the embedded database in the data folder. */
  databaseUrl: [
    'BINDERY_DATABASE_URL',
    optional(z.string().refine(isPostgresUrl, { error: POSTGRES_URL })),
    'secret',
  ],
  role: ['BINDERY_ROLE', oneOf('all', 'api', 'auth').default('all')],
  signup: ['BINDERY_SIGNUP', oneOf('closed', 'invite', 'open').default('invite')],
  /**
   * Which pages may show an asset in a frame: `public` is every page, for public libraries; `any` and listed origins
   * also for private ones, to whoever has a share token.
   */
  embedOrigins: ['BINDERY_EMBED_ORIGINS', originsOr('public', 'any', 'off').default('public')],
  /** How long a service that was told to stop still accepts requests while `/readyz` turns load balancers away. */
  drainSeconds: ['BINDERY_DRAIN', whole({ min: 0, max: 3_600 }).default(0)],
  /** Requests per minute and caller, or null for no general limit. */
  rateLimit: ['BINDERY_RATE_LIMIT', wholeOrOff('requests per minute', { min: 1 }).default(null)],
  /** Maximum number of concurrent uploads and downloads over presigned URLs, in total and per address. */
  maxTransfers: ['BINDERY_MAX_TRANSFERS', whole({ min: 1 }).default(2_048)],
  maxTransfersPerAddress: ['BINDERY_TRANSFERS_PER_IP', whole({ min: 1 }).default(512)],
  /** Bytes per second that every request and response must transfer on average; null for no minimum. */
  minTransferRate: [
    'BINDERY_MIN_TRANSFER_RATE',
    wholeOrOff('bytes per second', { min: 1 }).default(MIN_TRANSFER_RATE),
  ],
  /** Mean delay of the event loop over a second, in milliseconds, from which requests are rejected; null for never. */
  maxDelay: ['BINDERY_MAX_DELAY_MS', wholeOrOff('milliseconds', { min: 1 }).default(1_000)],
  /** Where metrics are served, separately from the public listener; null for nowhere. */
  metricsAddress: ['BINDERY_METRICS', optional(hostAndPort())],
  logLevel: ['BINDERY_LOG_LEVEL', oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent').default('info')],
  /** Maximum bytes of downloads held in memory, for all readers together. */
  sendMemoryBytes: ['BINDERY_SEND_MEMORY_MIB', whole({ min: 1, unit: MIB }).default(64 * MIB)],
  /** How long lines of the audit log are kept. */
  auditDays: ['BINDERY_AUDIT_DAYS', whole({ min: 1, max: 36_500 }).default(365)],
  /** Whether downloads and uses of assets are counted. */
  countsUse: ['BINDERY_USAGE_COUNTS', onOrOff().default(true)],
  /** How long deliveries of webhooks are kept, sent or not. */
  webhookDays: ['BINDERY_WEBHOOK_DAYS', whole({ min: 1, max: 3_650 }).default(30)],
  /** Networks that webhooks can be sent to besides the public internet. */
  webhookNetworks: ['BINDERY_WEBHOOK_NETWORKS', networkList()],
  /** Hosts from which watched libraries are imported, each perhaps with `*.` in front; none: nothing is watched. */
  importHosts: ['BINDERY_IMPORT_HOSTS', hostPatterns(LIMITS.watches.hosts)],
  /** Networks that these hosts can be in besides the public internet. */
  importNetworks: ['BINDERY_IMPORT_NETWORKS', networkList()],
  /** The address of a server that speaks as Hugging Face does, of which the door keeps what it lacks; null for none. */
  upstreamHuggingFace: [
    'BINDERY_UPSTREAM_HF',
    optional(
      z
        .string()
        .refine(isEndpoint, { error: 'an http:// or https:// URL without a user, query and fragment' })
        .transform((url) => url.replace(/\/+$/, '')),
    ),
  ],
  /** Maximum bytes that are kept of it. */
  upstreamBytes: ['BINDERY_UPSTREAM_GIB', whole({ min: 1, unit: GIB }).default(50 * GIB)],
  /** How long a replaced revision's files are kept; never less than the longest presigned lifetime. */
  reclaimGraceSeconds: ['BINDERY_RECLAIM_GRACE', whole({ min: LIMITS.presignTtl.max }).default(86_400)],
  /** For how many days a replaced revision can be read and restored; 0 for the grace period alone. */
  historyDays: ['BINDERY_HISTORY', whole({ min: 0, max: 3_650 }).default(30)],
  /** Bytes of objects to read again per second, in the background; null for none. */
  scrubRate: ['BINDERY_SCRUB_RATE', wholeOrOff('MiB per second', { min: 1, unit: MIB }).default(null)],
  /** Bytes of the disk that uploads leave free, so that the database can keep working. */
  diskReserveBytes: ['BINDERY_DISK_RESERVE_MIB', whole({ min: 0, unit: MIB }).default(512 * MIB)],
  /** Maximum bytes that one account can have uploaded and not registered; `half` of the disk, or null for no limit. */
  maxUnregistered: [
    'BINDERY_MAX_UNREGISTERED_GIB',
    wholeOrOff('GiB', { min: 1, unit: GIB }, 'half').default('half'),
  ],
  /** How many team namespaces one account can create; null for no limit. Operators have none. */
  maxNamespaces: ['BINDERY_NAMESPACES_PER_ACCOUNT', wholeOrOff('namespaces', { min: 0 }).default(10)],
  /** Maximum bytes of opened revision indexes held in memory. */
  indexCacheBytes: ['BINDERY_INDEX_CACHE_MIB', whole({ min: 1, unit: MIB }).default(1_536 * MIB)],
  /** The URL of the search engine that searches of many libraries ask; null for none. */
  searchEngine: ['BINDERY_SEARCH', optional(z.string().refine(isSearchUrl, { error: SEARCH_URL })), 'secret'],
  /** The file of synonyms for searches by relevance; null for the one that comes with the service. */
  synonymsFile: ['BINDERY_SYNONYMS', optional(z.string())],
  /** Engines that simulate robots beside MuJoCo, and the Python that has them. */
  engines: ['BINDERY_ENGINES', listOf((entry) => ENGINES.some((name) => name === entry), ENGINES.join(', '))],
  python: ['BINDERY_PYTHON', z.string().default('python3')],
  /** Maximum bytes of vectors held in memory. */
  vectorMemoryBytes: [
    'BINDERY_VECTOR_MEMORY_MIB',
    whole({ min: 384, max: 4_000, unit: MIB }).default(2_048 * MIB),
  ],
  /** Whether people can sign in with a password. */
  passwords: ['BINDERY_PASSWORDS', onOrOff().default(true)],
  /** Addresses of proxies whose forwarded headers are trusted. */
  trustedProxies: ['BINDERY_TRUSTED_PROXIES', networkList()],
} as const satisfies Rules;

/** Settings from which something else follows. */
const DERIVED_RULES = {
  dataDir: ['BINDERY_DATA_DIR', optional(z.string())],
  encoder: [
    'BINDERY_ENCODER',
    z
      .string()
      .refine((name) => name === 'auto' || name === 'off' || isModelName(name), {
        error: 'auto, siglip2, clip, included, <library>/<model>/<pretrained>, or "off"',
      })
      .default('auto'),
  ],
} as const satisfies Rules;

export interface Configuration extends ReadBy<typeof RULES>, EncoderSettings {
  dataDir: string;
  /** The bucket that holds the objects; null for the data folder. */
  s3: S3Settings | null;
  /** The OpenID Connect provider that people can sign in through; null for none. */
  oidc: OidcSettings | null;
  /** `NODE_ENV=development`: serves the page for trying GraphQL queries. */
  development: boolean;
  /** Where models are stored. */
  modelDir: string;
}

interface EncoderSettings {
  /** The id of the model that encodes queries, if it is installed; null for searches by keyword only. */
  encoder: string | null;
  /** The id of the model to use if that one is not installed; null for none. */
  encoderFallback: string | null;
  /**
   * Of which libraries that have none of its model the service makes vectors: of all if that is named, else of those that
   * come with vectors of another model.
   */
  derivesVectors: 'all' | 'embedded' | 'none';
}

/** The names of all settings that are read here. */
export const SETTINGS: readonly string[] = [RULES, DERIVED_RULES, S3_RULES, OIDC_RULES].flatMap(
  (rules: Rules) => Object.values(rules).map(([variable]) => variable),
);

/** Reads the configuration from environment variables, which the caller has overridden with command-line flags. */
export function readConfiguration(variables: Record<string, string | undefined>): Configuration {
  const set = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''),
  );
  const settings = readByRules(RULES, set);
  const { dataDir, encoder } = readByRules(DERIVED_RULES, set);
  return {
    ...settings,
    dataDir: dataDir ?? defaultDataDir(variables),
    s3: readS3(set),
    oidc: readOidc(set, settings.passwords),
    development: variables.NODE_ENV === 'development',
    ...readEncoder(encoder),
    modelDir: modelFolder(variables),
  };
}

function isModelName(name: string): boolean {
  try {
    modelId(name);
    return true;
  } catch {
    return false;
  }
}

function readEncoder(setting: string): EncoderSettings {
  if (setting === 'off') return { encoder: null, encoderFallback: null, derivesVectors: 'none' };
  if (setting !== 'auto') return { encoder: modelId(setting), encoderFallback: null, derivesVectors: 'all' };
  return {
    encoder: modelId(DEFAULT_MODEL_NAME),
    encoderFallback: INCLUDED_MODEL,
    derivesVectors: 'embedded',
  };
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
    .map((name) => ({ name, nearest: closest(name, KNOWN) }));
}
