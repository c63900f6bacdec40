import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dashboardFolder } from '@bindery/dashboard';
import type { Logger } from 'pino';
import { setUpLink } from '../accounts/sign-up.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { ClientArchive, Context } from '../context.ts';
import { isEveryAddress } from '../http/listen.ts';
import { type Metrics, NO_METRICS } from '../metrics.ts';
import { type DataFolder, lockDataFolder } from '../process/data-folder.ts';
import { createLog } from '../process/log.ts';
import { ResourceStack } from '../process/resource-stack.ts';
import { prepareEncoder } from '../search/by-vector.ts';
import { type Encoder, NO_ENCODER } from '../search/encoder.ts';
import { assemble } from './assemble.ts';
import { assertDatabasePresent, openPreparedDatabase } from './database.ts';

export interface RunningService {
  /** Where the service listens, with the actual port. */
  url: string;
  /** The one-time link that creates the first account; null once there is one. */
  setUpUrl: string | null;
  /** Stops accepting requests, lets running ones finish, and closes everything. */
  close(): Promise<void>;
}

/**
 * Assembles the service and listens. Throws `StartError`, which says what to do, if the data folder, the database or
 * the address cannot be used; then nothing stays open.
 */
export async function startService(configuration: Configuration): Promise<RunningService> {
  await using opened = new ResourceStack();
  const log = createLog(configuration);
  opened.defer(() => new Promise<void>((resolve) => log.flush(() => resolve())));

  const folder = await lockDataFolder(configuration.dataDir);
  opened.defer(folder.release);

  if (configuration.databaseUrl === null) await requireOwnDatabase(folder);
  const db = await openPreparedDatabase(configuration, folder.databaseFile);
  opened.defer(() => db.destroy());

  const metrics = await openMetrics(configuration);
  opened.defer(metrics.close);

  const encoder = await openEncoder(configuration, log);
  opened.defer(() => encoder.close());
  const service = await assemble({
    configuration,
    encoder,
    log,
    metrics,
    clock: Date.now,
    db,
    objectsFolder: folder.objects,
    dashboardFolder: configuration.role === 'api' ? null : await openDashboard(log),
    clientArchive: readClientArchive(),
  });
  opened.defer(service.close);
  const url = await service.listen();
  await prepareEncoder(service.context);

  if (configuration.publicUrl === null && isEveryAddress(configuration.host)) {
    log.warn(
      'BINDERY_PUBLIC_URL is not set: URLs begin with the address by which each client reaches the service',
    );
  }

  const running = opened.move();
  const close = async () => {
    await service.drain();
    await running.disposeAsync();
  };
  return { url, setUpUrl: await setUpUrl(service.context), close };
}

/** Returns null if the dashboard cannot be built: the rest of the service works without it. */
async function openDashboard(log: Logger): Promise<string | null> {
  try {
    return await dashboardFolder(() => log.info('building the dashboard, as after each change of its code'));
  } catch (error) {
    log.error({ err: error }, 'no dashboard: it could not be built; "npm ci" installs what the build needs');
    return null;
  }
}

/** Throws `StartError` if the embedded database cannot be used, or is missing although its objects are there. */
async function requireOwnDatabase({ path, databaseFile }: DataFolder): Promise<void> {
  await assertDatabasePresent(path);
  if (!existsSync(databaseFile)) return;
  (await import('../adapters/database/sqlite.ts')).requireIntactSqlite(databaseFile);
}

async function openEncoder(
  { encoder, encoderFallback, modelDir }: Configuration,
  log: Context['log'],
): Promise<Encoder> {
  if (encoder === null) {
    log.info('search by meaning is off (BINDERY_ENCODER=off): searches use keywords only');
    return NO_ENCODER;
  }
  const { openActiveEncoder } = await import('../adapters/encoder/active-encoder.ts');
  return openActiveEncoder({ folder: modelDir, model: encoder, fallback: encoderFallback, log });
}

async function openMetrics({ metricsAddress }: Configuration): Promise<Metrics & { close(): Promise<void> }> {
  if (metricsAddress === null) return { ...NO_METRICS, close: async () => {} };
  return (await import('../adapters/metrics/prometheus.ts')).servePrometheus(metricsAddress);
}

async function setUpUrl(context: Context): Promise<string | null> {
  const link = await setUpLink(context);
  return link === null ? null : context.ownUrl() + link;
}

/** Where the build of packages puts it: into the package of this service, and, seen from a clone, into the last build. */
const FOLDERS = ['../client/', '../../../../build/packages/server/dist/client/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** Reads the archive that came with this service; null if none did: a clone has it after `npm run packages`. */
function readClientArchive(folder = FOLDERS.find((one) => existsSync(one))): ClientArchive | null {
  const [found] = folder === undefined ? [] : globSync('bindery-cli-*.tgz', { cwd: folder });
  if (folder === undefined || found === undefined) return null;
  const bytes = readFileSync(join(folder, found));
  return { name: found, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}
