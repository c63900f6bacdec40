import { existsSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Visibility } from '@bindery/contract';
import pino from 'pino';
import { createAccount } from '../packages/server/src/accounts/create-account.ts';
import { createToken } from '../packages/server/src/accounts/create-token.ts';
import { openSqlite } from '../packages/server/src/adapters/database/sqlite.ts';
import { MACHINE } from '../packages/server/src/audit/actor.ts';
import { readConfiguration } from '../packages/server/src/configuration.ts';
import { migrate } from '../packages/server/src/database/migrate.ts';
import { claimLibraryStore } from '../packages/server/src/libraries/library-store.ts';
import { commitRevision, type PreparedRevision } from '../packages/server/src/libraries/register/commit.ts';
import { readSidecar } from '../packages/server/src/libraries/register/read-sidecar.ts';
import { assemble } from '../packages/server/src/main.ts';
import { NO_METRICS } from '../packages/server/src/metrics.ts';
import type { Parts } from '../packages/server/src/parts.ts';
import { RevisionIndex } from '../packages/server/src/revision/revision-index.ts';
import { dataFolderLayout } from '../packages/server/src/service/data-folder.ts';
import { packList } from '../packages/server/src/service/packed-list.ts';

/** The account and namespace that own the seeded data. */
export const OWNER = 'bench';

/** A new data folder that is being filled, with one account. */
export interface Seeding {
  parts: Parts;
  accountId: string;
  namespaceId: string;
  /** Has read and write access. */
  token: string;
}

/** Fills a new data folder directly, without running a service. */
export async function seedDataFolder<Result>(
  dataDir: string,
  fill: (seeding: Seeding) => Promise<Result>,
): Promise<Result> {
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
  const { accountId, namespaceId } = await createAccount(parts, account);
  const { token } = await createToken(parts, OWNER);
  const result = await fill({ parts, accountId, namespaceId, token });
  await close();
  await db.destroy();
  return result;
}

export interface SeededLibrary extends Pick<PreparedRevision, 'name'> {
  manifest: Uint8Array;
  artifacts: { path: string; bytes: Uint8Array }[];
  visibility: 'public' | 'private';
  /** Set if another revision will be registered: its files must then exist, with the right sizes. */
  registeredAgain?: boolean;
}

/** Publishes a library without the bytes of its files, which no read, search or register of the next revision reads. */
export async function seedLibrary(
  { parts, accountId, namespaceId }: Seeding,
  { name, manifest: bytes, artifacts, visibility, registeredAgain = false }: SeededLibrary,
): Promise<PreparedRevision> {
  const storeId = await claimLibraryStore(parts.db, { namespace: OWNER, name });
  const manifest = { ...(await parts.objects.write(storeId, bytes)), layout: 'current' as const };
  const stored = await Promise.all(
    artifacts.map(async ({ path, bytes }) => ({ path, ...(await parts.objects.write(storeId, bytes)) })),
  );
  const outcome = await parts.revisionWorkers.build({
    manifest: { ...manifest, file: await parts.objects.localFile({ storeId, ...manifest }) },
    previousIndex: null,
    artifacts: packList(stored),
  });
  if (outcome.kind !== 'built') throw new Error(`The generated manifest is ${outcome.kind}.`);
  const { sha256: indexSha256 } = await parts.objects.write(storeId, outcome.revision.index);
  const { sidecar } = outcome.revision;
  const { vectors } = await readSidecar(parts, { storeId, indexSha256, library: null, lost: [] }, sidecar);
  const prepared: PreparedRevision = {
    namespace: { id: namespaceId, slug: OWNER },
    name,
    storeId,
    manifest,
    indexSha256,
    artifactsSha256: null,
    built: outcome.revision,
    registeredBy: accountId,
    vectors,
    uploadsSettled: 0,
    basis: { revision: 0, deletions: 0 },
    refersTo: () => true,
  };
  await commitSeeded(parts, prepared, visibility);
  if (registeredAgain) await makeHollowObjects(parts, storeId, outcome.revision.index);
  return prepared;
}

/** Commits without permission checks or limits. */
async function commitSeeded(parts: Parts, prepared: PreparedRevision, visibility: Visibility): Promise<void> {
  const { db } = parts;
  const { id } = prepared.namespace;
  const row = await db.selectFrom('namespaces').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const registrant = { actor: MACHINE, permit: async () => ({ namespace: row }) };
  await commitRevision(parts, prepared, { visibility }, registrant, null);
}

/** Creates an empty sparse file of the right size for each file of a revision. */
async function makeHollowObjects({ objects }: Parts, storeId: string, index: Uint8Array): Promise<void> {
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

/** Publishes a seeded library again under another name, with a separate store. */
export async function seedCopy({ parts }: Seeding, original: PreparedRevision, name: string): Promise<void> {
  const storeId = await claimLibraryStore(parts.db, { namespace: OWNER, name });
  for await (const { sha256 } of parts.objects.list(original.storeId)) {
    const file = await parts.objects.localFile({ storeId: original.storeId, sha256 });
    await using draft = await parts.objects.createDraft(storeId);
    await copyFile(file, draft.file);
    await draft.commit(sha256);
  }
  await commitSeeded(parts, { ...original, name, storeId }, 'public');
}
