import type { HealthReport } from '@bindery/contract';
import { loadOperator } from '../access/operators.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Context } from '../context.ts';
import { newestMigration } from '../database/migrate.ts';
import { ServiceError } from '../errors.ts';
import { checkReadiness } from '../http/readiness.ts';
import { readVersion } from '../version.ts';

/** Reports the health of the process that handles the request: what `/readyz` reports, and its activity. */
export async function reportHealth(context: Context, viewer: Viewer): Promise<HealthReport> {
  await loadOperator(context.db, viewer);
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
