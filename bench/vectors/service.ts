import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH } from '@bindery/contract';
import pino from 'pino';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { openSqlite } from '../../packages/server/src/adapters/database/sqlite.ts';
import { readConfiguration } from '../../packages/server/src/configuration.ts';
import { migrate } from '../../packages/server/src/database/migrate.ts';
import { claimLibraryStore } from '../../packages/server/src/libraries/library-store.ts';
import { commitRevision } from '../../packages/server/src/libraries/register/commit.ts';
import { assemble } from '../../packages/server/src/main.ts';
import type { Parts } from '../../packages/server/src/parts.ts';
import { dataFolderLayout } from '../../packages/server/src/service/data-folder.ts';
import { NO_METRICS } from '../../packages/server/src/service/metrics.ts';
import { DIMENSIONS, generateLibrary } from './corpus.ts';

const COMMAND = fileURLToPath(new URL('../../packages/cli/bin/bindery.js', import.meta.url));

export const OWNER = 'bench';

/**
 * Puts libraries with vectors into a data folder directly, without the bytes of their files, which no search reads. All
 * have the same texts; `matrices` has one matrix for each.
 */
export async function seed(
  dataDir: string,
  { assets, model, matrices }: { assets: number; model: string; matrices: Iterable<Float32Array> },
): Promise<string[]> {
  const { databaseFile, objects } = dataFolderLayout(dataDir);
  const db = openSqlite(databaseFile);
  await migrate(db);
  const { parts, close } = await assemble({
    configuration: { ...readConfiguration({}), dataDir },
    log: pino({ level: 'silent' }),
    metrics: NO_METRICS,
    clock: Date.now,
    db,
    objectsFolder: objects,
  });
  const account = { userName: OWNER, displayName: 'Bench', email: 'bench@example.org' };
  const { namespaceId } = await createAccount(parts, account);
  const names: string[] = [];
  for (const matrix of matrices) {
    const name = `library-${names.length}`;
    await seedLibrary(parts, { namespaceId, name, model, matrix, ...generateLibrary(assets, model) });
    names.push(`${OWNER}/${name}`);
  }
  await close();
  await db.destroy();
  return names;
}

interface SeededLibrary extends ReturnType<typeof generateLibrary> {
  namespaceId: string;
  name: string;
  model: string;
  matrix: Float32Array;
}

async function seedLibrary(parts: Parts, library: SeededLibrary): Promise<void> {
  const { namespaceId, name, model } = library;
  const storeId = await claimLibraryStore(parts.db, OWNER, name);
  const write = (bytes: Uint8Array) => parts.objects.write(storeId, bytes);
  const manifest = await write(Buffer.from(JSON.stringify(library.manifest)));
  const document = await write(library.document);
  const matrix = await write(new Uint8Array(library.matrix.buffer));
  const outcome = await parts.revisionBuilder.build({
    manifest: {
      ...manifest,
      layout: 'current',
      file: await parts.objects.localFile({ storeId, ...manifest }),
    },
    previousIndexFile: null,
    artifacts: [
      { path: VECTORS_INDEX_PATH, ...document },
      { path: VECTORS_MATRIX_PATH, ...matrix },
    ],
  });
  if (outcome.kind !== 'built') throw new Error(`The generated manifest is ${outcome.kind}.`);
  const { sha256: indexSha256 } = await write(outcome.revision.index);
  await commitRevision(
    parts,
    {
      namespace: { id: namespaceId, slug: OWNER },
      name,
      storeId,
      manifest: { ...manifest, layout: 'current' },
      indexSha256,
      built: outcome.revision,
      vectors: { dim: DIMENSIONS, model },
      uploadsSettledAt: 0,
    },
    { visibility: 'public' },
  );
}

export interface Service {
  process: ChildProcess;
  url: string;
  end(): Promise<void>;
}

/** The service in a process of its own. */
export async function serve(dataDir: string, models: string, model: string): Promise<Service> {
  const child = spawn(process.execPath, [COMMAND, 'serve', '--port', '0', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, BINDERY_LOG_LEVEL: 'silent', BINDERY_ENCODER: model, BINDERY_MODEL_DIR: models },
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listening on (\S+)/.exec(line)?.[1];
    if (url) return { process: child, url, end: () => end(child) };
  }
  throw new Error('The service did not start.');
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
}
