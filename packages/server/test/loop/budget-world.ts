import { type ChildProcess, fork } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { linkSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MANIFEST_SCHEMA } from '@bindery/contract';
import { OWNER, seedDataFolder, seedLibrary } from '@bindery/server/testing';
import type { ServiceCommand } from './measured-service.ts';

const ASSETS = 50_000;
/** Of these nothing is stored but their entries in the manifest. */
const WITHOUT_BYTES = 49_000;
const LIBRARIES = 10_000;
/** The libraries of the long list, so that no search over everything has them. */
export const LISTED = 'many';

/** The service in a process of its own, over a library of 50,000 assets and a namespace of 10,000 libraries. */
export interface MeasuredWorld {
  url: string;
  token: string;
  command<Answer>(order: ServiceCommand): Promise<Answer>;
  /** Returns the most processor time that one turn of the event loop took during the work, in milliseconds. */
  longestTurn(work: () => Promise<unknown>): Promise<number>;
  close(): Promise<void>;
}

export async function openMeasuredWorld(): Promise<MeasuredWorld> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bindery-budget-'));
  const token = await seedDataFolder(dataDir, async (seeding) => {
    const words = ['red', 'green', 'chair', 'table', 'gripper', 'lamp'];
    const content = hash('sha256', 'x');
    const asset = (number: number) => ({
      id: `Asset-${number}`,
      title: `${words[number % 6]} ${words[(number + 1) % 6]} ${number}`,
      kind: ['mesh', 'urdf'][number % 2],
      category: `category-${number % 300}`,
      tags: [`tag-${number % 900}`],
      files: [`folder-${number}/model.stl`, `folder-${number}/deep/er/texture.png`].map((path, at) => ({
        path,
        size: 1,
        sha256: number < WITHOUT_BYTES ? (number * 2 + at).toString(16).padStart(64, '0') : content,
      })),
    });
    const manifest = (count: number) =>
      Buffer.from(
        JSON.stringify({
          schema: MANIFEST_SCHEMA,
          library: { title: 'Large' },
          assets: Array.from({ length: count }, (_, number) => asset(number)),
        }),
      );
    const { db, objects } = seeding.context;
    await db.updateTable('accounts').set({ operator: 1 }).execute();
    await seedLibrary(seeding, { name: 'large', manifest: manifest(ASSETS), visibility: 'public' });
    const { store_id } = await db
      .selectFrom('libraries')
      .select('store_id')
      .where('name', '=', 'large')
      .executeTakeFirstOrThrow();
    await objects.write(store_id, Buffer.from('x'));
    await seedLibrary(seeding, { name: 'small', manifest: manifest(10), visibility: 'public' });
    await seedManyLibraries(seeding, 'small');
    return seeding.token;
  });

  const child = fork(new URL('./measured-service.ts', import.meta.url), {
    execArgv: [],
    env: {
      ...process.env,
      ...{ BINDERY_DATA_DIR: dataDir, BINDERY_PORT: '0', BINDERY_LOG_LEVEL: 'silent' },
      ...{ BINDERY_ENCODER: 'off', BINDERY_RATE_LIMIT: 'off', BINDERY_MAX_DELAY_MS: 'off' },
    },
  });
  const { value: url } = await nextMessage<string>(child);
  const command = async <Answer>(order: ServiceCommand) => {
    child.send(order);
    return (await nextMessage<Answer>(child)).value;
  };
  return {
    url,
    token,
    command,
    async longestTurn(work) {
      await command('begin');
      await work();
      return command<number>('end');
    },
    async close() {
      child.send('stop');
      if (child.exitCode === null) await once(child, 'exit');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function nextMessage<Value>(child: ChildProcess): Promise<{ value: Value }> {
  const settled = new AbortController();
  const { signal } = settled;
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`the service ended with ${code}`);
  });
  const answered = once(child, 'message', { signal }).then(([message]) => message as { value: Value });
  try {
    return await Promise.race([answered, ended]);
  } finally {
    settled.abort();
    await Promise.allSettled([answered, ended]);
  }
}

type Seeding = Parameters<Parameters<typeof seedDataFolder>[1]>[0];

/** Copies a library many times, each with its own store, which has the index. */
async function seedManyLibraries({ context: { db, objects } }: Seeding, of: string): Promise<void> {
  const libraries = db.selectFrom('libraries').selectAll().where('name', '=', of);
  const row = await libraries.executeTakeFirstOrThrow();
  const description = 'A library in a long list. '.repeat(10);
  const documents = [row.index_sha256, row.manifest_sha256];
  const originals = await Promise.all(
    documents.map((sha256) => objects.localFile({ storeId: row.store_id, sha256 })),
  );
  for (let first = 0; first < LIBRARIES; first += 100) {
    const rows = Array.from({ length: 100 }, (_, at) => {
      const name = `${LISTED}-${first + at}`;
      return { ...row, id: name, store_id: name, name, description, updated_at: first + at };
    });
    await db.insertInto('libraries').values(rows).execute();
    for (const { store_id: storeId } of rows) {
      for (const [at, sha256] of documents.entries()) {
        const copy = await objects.localFile({ storeId, sha256 });
        mkdirSync(dirname(copy), { recursive: true });
        linkSync(originals[at] ?? '', copy);
      }
    }
  }
}

export const OF_OWNER = `/namespaces/${OWNER}`;
