import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TokenScope } from '@bindery/contract';
import pino, { type Logger } from 'pino';
import { createAccount } from '../src/accounts/accounts.ts';
import { issuePersonalAccessToken } from '../src/accounts/personal-access-tokens.ts';
import type { Timeouts } from '../src/boot/app.ts';
import { assemble, createWorkers } from '../src/boot/assemble.ts';
import { markCopy } from '../src/boot/database.ts';
import { type Configuration, readConfiguration } from '../src/configuration/configuration.ts';
import type { Context } from '../src/context.ts';
import type { AssetConverter } from '../src/conversions/conversions.ts';
import { type Metrics, NO_METRICS } from '../src/metrics.ts';
import type { Encoder } from '../src/search/encoder.ts';
import { Actor } from './actor.ts';
import { openTestSqlite, type TestDatabase } from './databases.ts';

/** The real service on a free loopback port, over a database of its own, with a clock that tests set forward. */
export interface TestService {
  url: string;
  context: Context;
  /** Nobody: no token at all. */
  anonymous: Actor;
  /** An account with a personal namespace of its name; the same name answers the same account. */
  member(userName: string): Promise<Actor>;
  /** The same person, holding another token. */
  token(userName: string, token: { scope?: TokenScope; namespace?: string }): Promise<Actor>;
  /** A signed-in account that has to do with nothing. */
  stranger(): Promise<Actor>;
  /** Moves the service's clock forward. */
  advance(seconds: number): void;
  /** Tells it to stop; it goes on answering. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

export interface TestServiceOptions {
  /** From `databases`; without it an SQLite database in memory. The service closes it. */
  database?: TestDatabase;
  configuration?: Partial<Configuration>;
  /** The clock moves by `advance` alone, for tests of what must happen within some time. */
  stillClock?: boolean;
  /** Where objects are; the caller's to remove. Without it a folder of the service's own. */
  dataDir?: string;
  /** Silent without it. */
  log?: Logger;
  /** None without it. */
  encoder?: Encoder;
  /** The renderer of the clone without it. */
  converter?: AssetConverter;
  /** Of connections, where not as long as usual. */
  timeouts?: Partial<Timeouts>;
  /** A built dashboard; without it the service has none. */
  dashboardFolder?: string | null;
  /** The packed command line; without it the service has none. */
  clientArchive?: Context['clientArchive'];
  /** Nothing is counted without them. */
  metrics?: Metrics;
}

/** All services of a test process share these: starting them takes longer than most tests. */
let workers: ReturnType<typeof createWorkers> | undefined;

export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const database = options.database ?? (await openTestSqlite());
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'bindery-test-')));
  workers ??= createWorkers();
  // Several services of a test may use one database, each with a folder of its own.
  await markCopy(database.db, join(dataDir, 'objects'));
  const start = Date.now();
  let ahead = 0;
  const service = await assemble({
    configuration: {
      ...readConfiguration({}),
      dataDir,
      port: 0,
      // The event loop is the test's too, and processors are shared with other tests.
      maxDelay: null,
      diskReserveBytes: 0,
      maxUnregistered: null,
      maxNamespaces: null,
      // Replaced revisions stay for the grace period, unless a test is about history.
      historyDays: 0,
      ...options.configuration,
    },
    log: options.log ?? pino({ level: 'silent' }),
    metrics: options.metrics ?? NO_METRICS,
    clock: () => (options.stillClock ? start : Date.now()) + ahead,
    db: database.db,
    objectsFolder: join(dataDir, 'objects'),
    encoder: options.encoder,
    converter: options.converter,
    dashboardFolder: options.dashboardFolder ?? null,
    clientArchive: options.clientArchive ?? null,
    vectorTimeout: 60_000,
    timeouts: options.timeouts,
    workers,
  });
  const { context } = service;
  const url = await service.listen();

  const accounts = new Map<string, Promise<string>>();
  function accountOf(userName: string): Promise<string> {
    const known = accounts.get(userName);
    if (known) return known;
    const found = findOrMakeAccount(context, userName);
    accounts.set(userName, found);
    return found;
  }

  const token: TestService['token'] = async (userName, { scope = 'write', namespace }) => {
    const accountId = await accountOf(userName);
    const bound = namespace === undefined ? null : await findNamespace(context, namespace);
    const { token: secret } = await issuePersonalAccessToken(context, {
      accountId,
      familyId: null,
      name: 'test',
      scope,
      namespace: bound,
      expiresAt: null,
    });
    return new Actor(url, { authorization: `Bearer ${secret}` });
  };

  return {
    url,
    context,
    anonymous: new Actor(url),
    member: (userName) => token(userName, {}),
    token,
    stranger: () => token('stranger', {}),
    advance: (seconds) => {
      ahead += seconds * 1_000;
    },
    drain: service.drain,
    close: async () => {
      await service.close();
      await database.close();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function findOrMakeAccount(context: Context, userName: string): Promise<string> {
  const found = await context.db
    .selectFrom('accounts')
    .select('id')
    .where('user_name', '=', userName)
    .executeTakeFirst();
  if (found) return found.id;
  const email = `${userName}@example.org`;
  return (await createAccount(context, { userName, displayName: userName, email })).accountId;
}

async function findNamespace({ db }: Context, slug: string): Promise<{ id: string; slug: string }> {
  return db
    .selectFrom('namespaces')
    .select(['id', 'slug'])
    .where('slug', '=', slug)
    .executeTakeFirstOrThrow();
}
