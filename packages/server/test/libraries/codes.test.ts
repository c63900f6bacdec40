import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SearchHit, VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH } from '@bindery/contract';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LibraryRow } from '../../src/access/libraries.ts';
import { reclaim, reclaimStore } from '../../src/objects/retention/reclaim.ts';
import { Actor } from '../actor.ts';
import { databases, type TestDatabase } from '../databases.ts';
import { sidecarFiles, vectorOf } from '../search/embeddings.ts';
import { ScriptedEncoder } from '../search/scripted-encoder.ts';
import { startService, type TestService } from '../service.ts';
import { publish, type WrittenAsset } from './publish.ts';
import { fileEntry, Publisher } from './publisher.ts';
import { referencedObjects, storedObjects } from './stored-objects.ts';

const DAY = 86_400;

const asset = (id: string, more: Partial<WrittenAsset> = {}): WrittenAsset => ({
  id,
  files: { [`${id}/f`]: id },
  ...more,
});
const ASSETS = [asset('arm'), asset('mug')];
const vectors = (arm: number, mug: number) =>
  sidecarFiles({ arm: { image: vectorOf(arm) }, mug: { image: vectorOf(mug) } });

describe.each(databases)('the vector codes of a library on $name', ({ open }) => {
  let database: TestDatabase;
  let dataDir: string;
  let service: TestService;
  let ada: Actor;
  let warnings: { problem?: string }[];

  beforeEach(async () => {
    database = await open();
    dataDir = await mkdtemp(join(tmpdir(), 'bindery-codes-'));
    await start();
    ada = await service.member('ada');
  });
  afterEach(async () => {
    await service.close();
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function start(): Promise<void> {
    const encoder = new ScriptedEncoder();
    encoder.vectors.set('手', vectorOf(1));
    warnings = [];
    service = await startService({
      database: { db: database.db, close: async () => {} },
      dataDir,
      encoder,
      log: pino({ level: 'warn' }, { write: (line) => warnings.push(JSON.parse(line)) }),
    });
  }

  async function restart(): Promise<void> {
    await service.close();
    await start();
    ada = new Actor(service.url, ada.headers);
  }

  const library = (): Promise<LibraryRow> =>
    database.db.selectFrom('libraries').selectAll().where('name', '=', 'home').executeTakeFirstOrThrow();
  const codes = async () => (await library()).codes_sha256;
  const register = (generated: Record<string, Uint8Array>, assets = ASSETS) =>
    publish(ada, 'ada/home', { assets, generated, visibility: 'public' });

  async function nearest(): Promise<string[]> {
    const path = `/namespaces/ada/libraries/home/search?q=${encodeURIComponent('手')}`;
    const { body } = await service.anonymous.get<{ semantic: boolean; hits: SearchHit[] }>(path);
    return body.semantic ? body.hits.map(({ assetId }) => assetId) : ['by keyword'];
  }

  async function fileOf(sha256: string): Promise<string> {
    return service.context.objects.localFile({ storeId: (await library()).store_id, sha256 });
  }

  async function removeArtifact(path: string): Promise<void> {
    const { store_id: storeId, index_sha256: sha256 } = await library();
    const index = await service.context.revisions.load({ storeId, sha256 });
    await service.context.objects.delete(
      storeId,
      [index.findFile(path)?.sha256 ?? ''],
      async (all) => new Set(all),
    );
  }

  test('are created at register and serve searches after a restart', async () => {
    const detail = await register(vectors(0.5, 0.9));
    expect(detail).toMatchObject({ fileCount: 2, totalBytes: 6, vectorsDim: 768 });
    expect(await nearest()).toEqual(['mug', 'arm']);
    await restart();
    // What they were made from is not needed any more to find, only the rows to compare exactly.
    await removeArtifact(VECTORS_INDEX_PATH);
    expect(await nearest()).toEqual(['mug', 'arm']);
    expect(warnings).toEqual([]);
  });

  test('are kept by a register that changes neither vectors nor asset ids', async () => {
    await register(vectors(0.5, 0.9));
    const first = await codes();
    const { mtimeMs } = await stat(await fileOf(first!));
    await register(vectors(0.5, 0.9));
    await register(vectors(0.5, 0.9), [asset('arm', { title: 'An arm' }), asset('mug')]);
    expect(await codes()).toBe(first);
    expect((await stat(await fileOf(first!))).mtimeMs).toBe(mtimeMs);
    await register(vectors(0.5, 0.9), [asset('another'), ...ASSETS]);
    expect(await codes()).not.toBe(first);
    expect(await nearest()).toEqual(['mug', 'arm']);
  });

  test('do not break searches if damaged on disk, and are repaired by the next register', async () => {
    await register(vectors(0.5, 0.9));
    const file = await fileOf((await codes())!);
    const whole = await readFile(file);
    await writeFile(file, Buffer.from(whole).fill(9, 100, 200));
    expect(await nearest()).toEqual(['mug', 'arm']);
    expect(warnings).toMatchObject([{ problem: 'The codes are damaged.' }]);
    await register(vectors(0.5, 0.9));
    expect(await readFile(file)).toEqual(whole);
  });

  test.each([
    ['is damaged', { ...vectors(0.5, 0.9), [VECTORS_MATRIX_PATH]: new Uint8Array(3_072) }],
    ['lacks its matrix', { [VECTORS_INDEX_PATH]: vectors(0.5, 0.9)[VECTORS_INDEX_PATH]! }],
    ['names no model', sidecarFiles({ arm: { image: vectorOf(0.5) } }, { model: null })],
    ['has other dimensions', narrow()],
  ])('are not created if the sidecar %s', async (_, generated) => {
    await register(vectors(0.5, 0.9));
    await register(generated);
    expect(await codes()).toBeNull();
  });

  test('are not needed to search an older revision without them; the next register creates them', async () => {
    await register(vectors(0.5, 0.9));
    const made = await codes();
    await database.db.updateTable('libraries').set({ codes_sha256: null }).execute();
    await restart();
    expect(await nearest()).toEqual(['mug', 'arm']);
    expect(warnings).toEqual([]);
    await register(vectors(0.5, 0.9));
    expect(await codes()).toBe(made);
  });

  test('are kept as long as their revision and deleted with it', async () => {
    await register(vectors(0.5, 0.9));
    const { codes_sha256: first, store_id: storeId } = await library();
    await register(vectors(0.9, 0.5));
    const second = await codes();
    const stored = async () =>
      (await storedObjects(join(dataDir, 'objects'))).map((name) => name.split('/')[1]);
    await reclaimStore(service.context, { storeId, marks: 0 });
    expect(await stored()).toEqual(expect.arrayContaining([first, second]));

    service.advance(DAY + 60);
    await reclaim(service.context);
    expect(await stored()).toContain(second);
    expect(await stored()).not.toContain(first);
    expect(await storedObjects(join(dataDir, 'objects'))).toEqual(await referencedObjects(service.context));
    expect(await nearest()).toEqual(['arm', 'mug']);

    await ada.delete('/namespaces/ada/libraries/home');
    service.advance(30 * DAY);
    await reclaim(service.context);
    expect(await stored()).toContain(second);
    await ada.delete('/namespaces/ada/libraries/home/purge');
    expect(await Array.fromAsync(service.context.objects.list(storeId))).toEqual([]);
  });

  test('match the sidecar of their revision after two concurrent pushes', async () => {
    const sidecars = [vectors(0.5, 0.9), vectors(0.9, 0.5)];
    const made: (string | null)[] = [];
    for (const sidecar of sidecars) {
      await register(sidecar);
      made.push(await codes());
    }
    const home = new Publisher(ada, 'ada', 'home');
    const answers = await Promise.all(
      sidecars.map((sidecar) =>
        home.register<{ revision: number }>({
          artifacts: Object.entries(sidecar).map(([path, bytes]) => fileEntry(path, bytes)),
        }),
      ),
    );
    const retired = await database.db.selectFrom('retired_revisions').selectAll().execute();
    const revisions = [...retired, await library()];
    const codesOf = (revision: number) => revisions.find((one) => one.revision === revision)?.codes_sha256;
    expect(answers.map(({ body }) => body.revision).sort()).toEqual([3, 4]);
    expect(answers.map(({ body }) => codesOf(body.revision))).toEqual(made);
    expect(await nearest()).toEqual(answers[0]?.body.revision === 4 ? ['mug', 'arm'] : ['arm', 'mug']);
    expect(warnings).toEqual([]);
  });
});

/** A sidecar of the active model with vectors of four numbers. */
function narrow(): Record<string, Uint8Array> {
  const { [VECTORS_INDEX_PATH]: document } = sidecarFiles({ arm: { image: vectorOf(1) } });
  return {
    [VECTORS_INDEX_PATH]: Buffer.from(String(document).replace('"dim":768', '"dim":4')),
    [VECTORS_MATRIX_PATH]: new Uint8Array(Float32Array.of(1, 0, 0, 0).buffer),
  };
}
