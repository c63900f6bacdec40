import type { HealthReport, ModelReport, StorageReport } from '@bindery/contract';
import type { Context, MaintenanceContext } from '../context.ts';
import { newestMigration } from '../database/migrate.ts';
import type { Database } from '../database/schema.ts';
import { ServiceError } from '../errors.ts';
import { checkReadiness } from '../http/readiness.ts';
import { readVersion } from '../version.ts';
import { largestLibraries } from './namespaces.ts';

/** Reports the space that libraries and uploads take, and the space left on the disk. */
export async function reportStorage({ db, objects }: MaintenanceContext): Promise<StorageReport> {
  const [active, trash, { unregistered, pending, damaged }, largest, disk] = await Promise.all([
    amountsOf(db, 'active'),
    amountsOf(db, 'deleted'),
    counts(db),
    largestLibraries(db),
    objects.space(),
  ]);
  return {
    active,
    trash,
    unregisteredBytes: Number(unregistered ?? 0),
    pendingObjects: Number(pending ?? 0),
    damagedObjects: Number(damaged ?? 0),
    largest,
    disk,
  };
}

async function amountsOf(db: Database, state: 'active' | 'deleted'): Promise<StorageReport['active']> {
  const row = await db
    .selectFrom('libraries')
    .select((eb) => [
      eb.fn.countAll<number>().as('libraries'),
      eb.fn.sum<number | null>('file_count').as('files'),
      eb.fn.sum<number | null>('total_bytes').as('bytes'),
    ])
    .where('state', '=', state)
    .executeTakeFirstOrThrow();
  return { libraries: Number(row.libraries), files: Number(row.files ?? 0), bytes: Number(row.bytes ?? 0) };
}

async function counts(db: Database) {
  return db
    .selectNoFrom((eb) => [
      eb
        .selectFrom('library_names')
        .select((of) => of.fn.sum<number | null>('unregistered_bytes').as('bytes'))
        .as('unregistered'),
      eb
        .selectFrom('doomed_objects')
        .select((of) => of.fn.countAll<number>().as('count'))
        .where('state', '!=', 'leased')
        .as('pending'),
      eb
        .selectFrom('damaged_objects')
        .select((of) => of.fn.countAll<number>().as('count'))
        .as('damaged'),
    ])
    .executeTakeFirstOrThrow();
}

/** Reports the health of the process that handles the request: what `/readyz` reports, and its activity. */
export async function reportHealth(context: Context): Promise<HealthReport> {
  const { activity, configuration, db } = context;
  return {
    ...(await readiness(context)),
    version: readVersion(),
    node: process.versions.node,
    startedAt: new Date(activity.startedAt).toISOString(),
    database: {
      kind: configuration.databaseUrl === null ? 'SQLite' : 'PostgreSQL',
      schema: await newestMigration(db),
    },
    memoryBytes: process.memoryUsage.rss(),
    transferred: activity.transferred,
    lastHour: activity.lastHour().map(({ at, ...minute }) => ({ at: new Date(at).toISOString(), ...minute })),
  };
}

async function readiness(
  context: Parameters<typeof checkReadiness>[0],
): Promise<Pick<HealthReport, 'status' | 'problems'>> {
  try {
    const warning = await checkReadiness(context);
    return { status: 'ready', problems: warning === null ? [] : [warning] };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { status: 'failing', problems: [error.message] };
  }
}

/** Reports the model that encodes queries, and the models of the vectors of active libraries. */
export async function reportModels({ db, encoder, configuration }: Context): Promise<ModelReport> {
  const rows = await db
    .selectFrom('libraries')
    .select((eb) => [
      'vectors_model',
      eb.fn.countAll<number>().as('libraries'),
      eb.fn.sum<number>('asset_count').as('assets'),
    ])
    .where('state', '=', 'active')
    .groupBy('vectors_model')
    .orderBy('vectors_model')
    .execute();
  return {
    active: encoder.model,
    configured: configuration.encoder,
    libraries: rows.map(({ vectors_model: model, libraries, assets }) => ({
      model,
      libraries: Number(libraries),
      assets: Number(assets),
    })),
  };
}
