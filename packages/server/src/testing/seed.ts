import { existsSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Visibility } from '@bindery/contract';
import pino from 'pino';
import { MACHINE } from '../access/viewer.ts';
import { createAccount } from '../accounts/accounts.ts';
import { createToken } from '../accounts/personal-access-tokens.ts';
import { openSqlite } from '../adapters/database/sqlite.ts';
import { actorOf } from '../audit/audit-log.ts';
import { assemble } from '../boot/assemble.ts';
import { readConfiguration } from '../configuration/configuration.ts';
import type { Context } from '../context.ts';
import { migrate } from '../database/migrate.ts';
import type { Database } from '../database/schema.ts';
import { commitRevision, type PreparedRevision } from '../libraries/publish/commit.ts';
import { readSidecar } from '../libraries/publish/read-sidecar.ts';
import { NO_METRICS } from '../metrics.ts';
import { claimLibraryStore } from '../objects/library-store.ts';
import { dataFolderLayout } from '../process/data-folder.ts';
import { packList } from '../process/packed-list.ts';
import { RevisionIndex } from '../revision/revision-index.ts';

/** The account and namespace that own the seeded data. */
export const OWNER = 'bench';

/** A data folder that is being filled, with one account. */
export interface Seeding {
  context: Context;
  accountId: string;
  namespaceId: string;
  /** Has read and write access. */
  token: string;
}

/** Fills a data folder, new or seeded before, directly, without running a service. */
export async function seedDataFolder<Result>(
  dataDir: string,
  fill: (seeding: Seeding) => Promise<Result>,
): Promise<Result> {
  const { databaseFile, objects } = dataFolderLayout(dataDir);
  const db = openSqlite(databaseFile);
  await migrate(db);
  const { context, close } = await assemble({
    configuration: { ...readConfiguration({}), dataDir },
    log: pino({ level: 'silent' }),
    metrics: NO_METRICS,
    clock: Date.now,
    db,
    objectsFolder: objects,
  });
  const account = { userName: OWNER, displayName: 'Bench', email: 'bench@example.org' };
  const { accountId, namespaceId } = (await seededAccount(db)) ?? (await createAccount(context, account));
  const { token } = await createToken(context, OWNER);
  const result = await fill({ context, accountId, namespaceId, token });
  await close();
  await db.destroy();
  return result;
}

function seededAccount(db: Database) {
  return db
    .selectFrom('namespaces')
    .innerJoin('memberships', 'memberships.namespace_id', 'namespaces.id')
    .select(['memberships.account_id as accountId', 'namespaces.id as namespaceId'])
    .where('namespaces.slug', '=', OWNER)
    .executeTakeFirst();
}

export interface SeededLibrary extends Pick<PreparedRevision, 'name'> {
  manifest: Uint8Array;
  /** Artifacts of the platform; none without it. */
  artifacts?: { path: string; bytes: Uint8Array }[];
  visibility: 'public' | 'private';
  /** Set if another revision will be registered: its files must then exist, with the right sizes. */
  registeredAgain?: boolean;
}

/** Publishes a library without the bytes of its files, which no read, search or register of the next revision reads. */
export async function seedLibrary(
  { context, accountId, namespaceId }: Seeding,
  { name, manifest: bytes, artifacts = [], visibility, registeredAgain = false }: SeededLibrary,
): Promise<PreparedRevision> {
  const storeId = await claimLibraryStore(context.db, { namespace: OWNER, name });
  const manifest = { ...(await context.objects.write(storeId, bytes)), layout: 'current' as const };
  const stored = await Promise.all(
    artifacts.map(async ({ path, bytes }) => ({ path, ...(await context.objects.write(storeId, bytes)) })),
  );
  const outcome = await context.revisionWorkers.build({
    manifest: { ...manifest, file: await context.objects.localFile({ storeId, ...manifest }) },
    previous: null,
    artifacts: packList(stored),
    cover: null,
  });
  if (outcome.kind !== 'built') throw new Error(`The generated manifest is ${outcome.kind}.`);
  const { sha256: indexSha256 } = await context.objects.write(storeId, outcome.revision.index);
  const { sidecar } = outcome.revision;
  const { vectors } = await readSidecar(context, { storeId, indexSha256, library: null, lost: [] }, sidecar);
  const prepared: PreparedRevision = {
    namespace: { id: namespaceId, slug: OWNER },
    name,
    storeId,
    manifest,
    indexSha256,
    artifactsSha256: null,
    differencesSha256: null,
    built: outcome.revision,
    registeredBy: accountId,
    vectors,
    uploadsSettled: 0,
    coverAsset: null,
    basis: { revision: 0, deletions: 0 },
    refersTo: () => true,
  };
  await commitSeeded(context, prepared, visibility);
  if (registeredAgain) await makeHollowObjects(context, storeId, outcome.revision.index);
  return prepared;
}

/** Commits without permission checks or limits. */
async function commitSeeded(
  context: Context,
  prepared: PreparedRevision,
  visibility: Visibility,
): Promise<void> {
  const { db } = context;
  const { id } = prepared.namespace;
  const row = await db.selectFrom('namespaces').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const registrant = { actor: actorOf(MACHINE), permit: async () => ({ namespace: row }) };
  await commitRevision(context, prepared, { visibility }, registrant, null);
}

/** Creates an empty sparse file of the right size for each file of a revision. */
async function makeHollowObjects({ objects }: Context, storeId: string, index: Uint8Array): Promise<void> {
  const { files } = RevisionIndex.open(index);
  for (let place = 0; place < files.count; place++) {
    const { sha256, size } = files.at(place);
    const path = await objects.localFile({ storeId, sha256 });
    if (existsSync(path)) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
    truncateSync(path, size);
  }
}
