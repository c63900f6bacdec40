import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { DatabaseDamaged, requireIntactSqlite } from '../adapters/database/sqlite.ts';
import { restoringFile } from '../adapters/database/unfinished-restore.ts';
import {
  describeDatabase,
  hasDatabaseFile,
  mayHaveReplicas,
  openDatabase,
  requireDataFolder,
  requireRestored,
  withStartErrors,
} from '../boot/database.ts';
import { openStorageAlongside } from '../boot/storage.ts';
import { runningServers } from '../cluster/cluster.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { DatabaseUnreachable } from '../database/failures.ts';
import { appliedMigrations, hasSchema, requireUsableSchema } from '../database/migrate.ts';
import { migrations } from '../database/migrations/index.ts';
import type { Database } from '../database/schema.ts';
import { readScrub } from '../objects/health/scrub-progress.ts';
import { asOwner, dataFolderLayout } from '../process/data-folder.ts';
import { createLog } from '../process/log.ts';
import { ResourceStack } from '../process/resource-stack.ts';
import type { EncodedQuery, Encoder } from '../search/encoder.ts';
import { describeEngine, waitingChanges } from '../search/engine/engine-report.ts';
import { EngineUnavailable } from '../search/engine/search-engine.ts';
import {
  type Diagnosis,
  diagnoseAccounts,
  diagnoseClock,
  diagnoseDamage,
  diagnoseDisk,
  diagnoseModel,
  diagnoseSchema,
  diagnoseScrub,
  diagnoseSearch,
  diagnoseServers,
  diagnoseStore,
  type EngineFindings,
} from './diagnoses.ts';

/** The query that tests the model. */
const QUERY = 'a red mug';

/**
 * Checks the parts of a service, running or not, and changes nothing except what testing a bucket requires. A part that
 * cannot be reached is a finding, and those that depend on it are omitted.
 */
export async function diagnose(configuration: Configuration): Promise<Diagnosis[]> {
  const model = await checkModel(configuration);
  return asOwner(configuration.dataDir, () => diagnoseService(configuration, model));
}

async function diagnoseService(configuration: Configuration, model: Diagnosis): Promise<Diagnosis[]> {
  const { databaseFile } = dataFolderLayout(configuration.dataDir);
  const { databaseUrl } = configuration;
  let isMissing: boolean;
  try {
    isMissing = databaseUrl === null && !hasDatabaseFile(configuration.dataDir);
  } catch (error) {
    return [failed('database', messageOf(error), 'Check BINDERY_DATA_DIR, and whose folder it is.'), model];
  }
  if (isMissing) {
    if (existsSync(restoringFile(databaseFile))) {
      const message = `The database ${databaseFile} is missing: a restore has not finished.`;
      return [failed('database', message, 'Run the same "bindery admin restore" again.'), model];
    }
    const message = `There is no database ${databaseFile}: the folder holds no service.`;
    const remedy = 'Name the data folder of the service with --data-dir or BINDERY_DATA_DIR.';
    return [failed('database', message, remedy), model];
  }
  await using opened = new ResourceStack();
  const db = await openDatabase(configuration, databaseFile);
  opened.defer(() => db.destroy());
  const found: Diagnosis[] = [];
  try {
    if (databaseUrl === null) requireIntactSqlite(databaseFile);
    await requireRestored(configuration, databaseFile);
    const applied = await withStartErrors(describeDatabase(configuration, databaseFile), async () => {
      const names = (await hasSchema(db)) ? await appliedMigrations(db) : [];
      if (names.length > 0) await requireUsableSchema(db);
      return names;
    });
    found.push(
      ok('database', `${databaseUrl === null ? databaseFile : 'PostgreSQL'} is reachable and intact.`),
    );
    const byHand = mayHaveReplicas(configuration);
    found.push(diagnoseSchema(applied, Object.keys(migrations), { byHand }));
  } catch (error) {
    return [failed('database', messageOf(error), remedyOf(error, configuration)), model];
  }
  if (found.some(({ status }) => status !== 'ok')) return [...found, model];
  const counts = await countsOf(db);
  found.push(await checkClock(configuration, db));
  if (databaseUrl !== null) found.push(diagnoseServers(await runningServers(db)));
  found.push(...(await checkStore(configuration, db, opened)));
  found.push(model, diagnoseAccounts(counts.accounts, counts.operators), diagnoseDamage(counts.damaged));
  if (configuration.searchEngine !== null)
    found.push(diagnoseSearch(await findInEngine(configuration.searchEngine, db)));
  found.push(diagnoseScrub(configuration.scrubRate, await readScrub(db), Date.now()));
  return found;
}

/** Asks the search engine for what the database says that it has. */
export async function findInEngine(url: string, db: Database): Promise<EngineFindings> {
  const stated = await describeEngine(db);
  const waiting = await waitingChanges({ db, clock: Date.now });
  const { OpenSearchEngine } = await import('../adapters/opensearch/opensearch-engine.ts');
  const engine = await OpenSearchEngine.connect(url);
  try {
    const exists = stated !== null && (await engine.newest(stated.index)) !== null;
    const assets = exists ? await engine.size(stated) : null;
    return { stated, assets, waiting, failure: null };
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error;
    return { stated, assets: null, waiting, failure: `${error.message}.` };
  } finally {
    await engine.close();
  }
}

async function countsOf(db: Database) {
  const row = await db
    .selectNoFrom((eb) => [
      eb
        .selectFrom('accounts')
        .select((of) => of.fn.countAll<number>().as('count'))
        .as('accounts'),
      eb
        .selectFrom('accounts')
        .select((of) => of.fn.countAll<number>().as('count'))
        .where('operator', '=', 1)
        .where('disabled_at', 'is', null)
        .as('operators'),
      eb
        .selectFrom('damaged_objects')
        .select((of) => of.fn.countAll<number>().as('count'))
        .as('damaged'),
    ])
    .executeTakeFirstOrThrow();
  return {
    accounts: Number(row.accounts),
    operators: Number(row.operators),
    damaged: Number(row.damaged),
  };
}

/** SQLite uses the clock of this machine. */
async function checkClock({ databaseUrl }: Configuration, db: Database): Promise<Diagnosis> {
  if (databaseUrl === null) return diagnoseClock(0, 0);
  const before = Date.now();
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(db);
  return diagnoseClock((before + Date.now()) / 2, Number(rows[0]?.now));
}

async function checkStore(
  configuration: Configuration,
  db: Database,
  opened: ResourceStack,
): Promise<Diagnosis[]> {
  try {
    requireDataFolder(configuration);
    const objects = await openStorageAlongside(configuration, db, opened);
    const store = diagnoseStore(await objects.check(), objects.verification);
    return [store, diagnoseDisk(await objects.space())];
  } catch (error) {
    return [
      failed('store', messageOf(error), 'Check BINDERY_DATA_DIR or BINDERY_OBJECTS and its permissions.'),
    ];
  }
}

/** Has the model encode a query. */
async function checkModel({ encoder, encoderFallback, modelDir }: Configuration): Promise<Diagnosis> {
  if (encoder === null) return diagnoseModel(null, null, null);
  const { openActiveEncoder } = await import('../adapters/encoder/active-encoder.ts');
  const log = createLog({ logLevel: 'silent' });
  const active = await openActiveEncoder({
    folder: modelDir,
    model: encoder,
    fallback: encoderFallback,
    log,
  });
  try {
    const encoded = await askModel(active, QUERY);
    return encoded.ok
      ? diagnoseModel(encoder, encoded.model, null)
      : diagnoseModel(encoder, active.model, encoded.reason);
  } finally {
    await active.close();
  }
}

function ok(part: Diagnosis['part'], message: string): Diagnosis {
  return { part, status: 'ok', message, remedy: null };
}

function failed(part: Diagnosis['part'], message: string, remedy: string): Diagnosis {
  return { part, status: 'failed', message, remedy };
}

/** What to do about a database that is damaged, or intact as far as anybody knows. */
function remedyOf(error: unknown, { databaseUrl }: Configuration): string {
  if (error instanceof DatabaseDamaged) return 'Restore a backup.';
  return databaseUrl === null
    ? 'The database file could not be opened. Fix access to it first; restore a backup only if it turns out to be damaged.'
    : 'Check BINDERY_DATABASE_URL, and that the PostgreSQL server runs.';
}

function messageOf(failure: unknown): string {
  const error = failure instanceof DatabaseUnreachable ? failure.cause : failure;
  return error instanceof Error ? error.message : String(error);
}

interface Patience {
  /** Milliseconds between two attempts. */
  pause?: number;
  /** Milliseconds after which a model counts as unable to load. */
  limit?: number;
}

/** Has a model encode a query. Unlike a search, it waits while the model is being loaded. */
export async function askModel(
  encoder: Pick<Encoder, 'encodeQuery'>,
  query: string,
  { pause = 100, limit = 60_000 }: Patience = {},
): Promise<EncodedQuery> {
  const end = performance.now() + limit;
  for (;;) {
    const encoded = await encoder.encodeQuery(query);
    if (encoded.ok || encoded.failure !== 'loading' || performance.now() >= end) return encoded;
    await setTimeout(pause);
  }
}
