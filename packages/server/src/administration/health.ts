import type { HealthReport } from '@bindery/contract';
import { loadOperator } from '../access/operators.ts';
import type { Viewer } from '../access/viewer.ts';
import { newestMigration } from '../database/migrate.ts';
import { ServiceError } from '../errors.ts';
import type { Parts } from '../parts.ts';
import { checkReadiness } from '../service/readiness.ts';
import { readVersion } from '../version.ts';

/** Reports the health of the process that handles the request: what `/readyz` reports, and its activity. */
export async function reportHealth(
  parts: Pick<Parts, 'db' | 'objects' | 'log' | 'servers' | 'isStopping' | 'configuration' | 'activity'>,
  viewer: Viewer,
): Promise<HealthReport> {
  await loadOperator(parts.db, viewer);
  const { activity, configuration, db } = parts;
  return {
    ...(await readiness(parts)),
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
  parts: Parameters<typeof checkReadiness>[0],
): Promise<Pick<HealthReport, 'status' | 'problems'>> {
  try {
    const warning = await checkReadiness(parts);
    return { status: 'ready', problems: warning === null ? [] : [warning] };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { status: 'failing', problems: [error.message] };
  }
}
