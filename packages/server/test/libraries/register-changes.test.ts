import { writeFile } from 'node:fs/promises';
import { composeManifest, type Manifest, type ManifestChanges, manifestText } from '@bindery/contract';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { packList } from '../../src/process/packed-list.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { fileEntry, manifestOf, Publisher, sha256 } from './publisher.ts';

const FILES = { 'arm/arm.txt': 'arm', 'hand/hand.txt': 'hand', 'leg/leg.txt': 'leg' };
const THUMBNAIL = '.bindery/thumbs/arm.webp';

describe.each(databases)('a register of changes to the current manifest on $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  let publisher: Publisher;
  let current: string;

  beforeEach(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
    publisher = new Publisher(ada, 'ada', 'arms');
    const { assets, ...rest } = manifestOf(FILES, { library: { title: 'Arms' }, generated: [THUMBNAIL] });
    const pictured = assets.map((asset) => (asset.id === 'arm' ? { ...asset, thumbnail: THUMBNAIL } : asset));
    current = JSON.stringify({ ...rest, assets: pictured }, null, 2);
    await publisher.upload({ ...FILES, [THUMBNAIL]: 'picture' });
    await publisher.uploadManifest(current);
    await publisher.register();
  });
  afterEach(() => service.close());

  const changed = (text: string) => ({ id: 'hand', title: text, files: [fileEntry('hand/hand.txt', text)] });

  const manifest = async (query = '') => {
    const { body } = await ada.get<Manifest>(`${publisher.path}/manifest${query}`);
    return body;
  };

  /** What the client expects the service to make. */
  const textAfter = (changes: Omit<ManifestChanges, 'base'>) =>
    manifestText(composeManifest(JSON.parse(current), { base: '', ...changes }));

  test('publishes what the whole manifest would, which is served like one that was sent', async () => {
    await publisher.upload({ 'hand/hand.txt': 'finer', 'foot/foot.txt': 'foot' });
    const changes = {
      library: { title: 'Limbs' },
      assets: [changed('finer'), { id: 'foot', files: [fileEntry('foot/foot.txt', 'foot')] }],
      removed: ['leg'],
    };
    const text = textAfter(changes);
    const { status, body } = await publisher.register({
      expectedRevision: 1,
      manifestSha256: sha256(text),
      changes: { base: sha256(current), ...changes },
    });
    expect([status, body]).toMatchObject([200, { revision: 2, title: 'Limbs', assetCount: 3, fileCount: 3 }]);
    const served = await manifest();
    expect(served).toEqual(JSON.parse(text));
    expect(served.assets.map(({ id }) => id)).toEqual(['arm', 'foot', 'hand']);
    expect(served).toMatchObject({ generated: [THUMBNAIL] });
    expect(await manifest('?revision=1')).toEqual(JSON.parse(current));
    const found = await ada.get<{ hits: { assetId: string }[] }>(`${publisher.path}/search?q=finer`);
    expect(found.body.hits.map(({ assetId }) => assetId)).toEqual(['hand']);
    const { body: log } = await ada.get<{ registers: unknown[] }>(`${publisher.path}/log`);
    expect(log.registers[0]).toMatchObject({
      revision: 2,
      assetsAdded: 1,
      assetsRemoved: 1,
      assetsChanged: 1,
    });
  });

  test('changes nothing if they are not of the current manifest, or make another one than was said', async () => {
    await publisher.upload({ 'hand/hand.txt': 'finer' });
    const changes = { base: sha256(current), assets: [changed('finer')] };
    const old = await publisher.register({ changes: { ...changes, base: sha256('older') } });
    expect([old.status, old.body]).toMatchObject([409, { error: 'revision_conflict', revision: 1 }]);
    const late = await publisher.register({ expectedRevision: 7, changes });
    expect([late.status, late.body]).toMatchObject([409, { error: 'revision_conflict', revision: 1 }]);
    const other = await publisher.register({ manifestSha256: sha256('other'), changes });
    expect([other.status, other.body]).toMatchObject([400, { error: 'manifest_missing' }]);
    expect(await manifest()).toEqual(JSON.parse(current));
  });

  test('sent again after its answer was lost conflicts with itself, and publishes nothing twice', async () => {
    await publisher.upload({ 'hand/hand.txt': 'finer' });
    const body = { expectedRevision: 1, changes: { base: sha256(current), assets: [changed('finer')] } };
    expect((await publisher.register(body)).status).toBe(200);
    const again = await publisher.register(body);
    expect([again.status, again.body]).toMatchObject([409, { error: 'revision_conflict', revision: 2 }]);
  });

  test('is checked like a whole manifest: its entries, its files and what is stored of them', async () => {
    const base = sha256(current);
    const refused = async (assets: unknown[]) => {
      const { status, body } = await publisher.register({ changes: { base, assets } });
      return [status, body];
    };
    expect(await refused([changed('never sent')])).toMatchObject([409, { error: 'files_missing' }]);
    expect(await refused([{ ...changed('hand'), colour: 'red' }])).toMatchObject([
      422,
      { error: 'manifest_invalid' },
    ]);
    const stolen = { id: 'thief', files: [fileEntry('arm/arm.txt', 'hand')] };
    expect(await refused([stolen])).toMatchObject([422, { error: 'manifest_file_conflict' }]);
    expect(
      await refused([{ id: 'hand', files: [{ path: '../hand.txt', size: 1, sha256: base }] }]),
    ).toMatchObject([422, { error: 'manifest_invalid_path' }]);
    expect(await refused([{ id: 'hand' }])).toMatchObject([400, { error: 'invalid_parameter' }]);
    expect(await manifest()).toEqual(JSON.parse(current));
  });

  test('keeps platform artifacts of the current revision, whatever was uploaded in their place', async () => {
    await publisher.upload({ 'hand/hand.txt': 'finer', [THUMBNAIL]: 'left over from a push that failed' });
    await publisher.register({ changes: { base: sha256(current), assets: [changed('finer')] } });
    const { body } = await ada.post<{ files: { sha256: string }[] }>(`${publisher.path}/files-presign`, {
      paths: [THUMBNAIL],
    });
    expect(body.files[0]?.sha256).toBe(sha256('picture'));
  });

  describe('that is written as the service writes it', () => {
    beforeEach(async () => {
      const others = Array.from({ length: 40 }, (_, number) => ({
        id: `part-${number}`,
        files: [FILES_OF_PARTS],
      }));
      const changes = { assets: others };
      const text = textAfter(changes);
      await publisher.upload({ 'parts/part.txt': 'part' });
      await publisher.register({ changes: { base: sha256(current), ...changes } });
      current = text;
    });

    const FILES_OF_PARTS = fileEntry('parts/part.txt', 'part');

    async function registerChanges(changes: Omit<ManifestChanges, 'base'>, named: object[] = []) {
      const text = textAfter(changes);
      const building = vi.spyOn(service.context.revisionWorkers, 'build');
      const { status, body } = await publisher.register({
        manifestSha256: sha256(text),
        changes: { base: sha256(current), ...changes },
        artifacts: named,
      });
      const isWhole = building.mock.calls.length > 0;
      building.mockRestore();
      if (status === 200) current = text;
      return { status, body, isWhole };
    }

    /** The index of the current revision, and the one that is built of its manifest alone. */
    async function indexes(artifacts: object[]) {
      const { db, objects, revisionWorkers } = service.context;
      const row = await db.selectFrom('libraries').selectAll().executeTakeFirstOrThrow();
      const { store_id: storeId, manifest_sha256, manifest_size: size, index_sha256 } = row;
      const file = await objects.localFile({ storeId, sha256: manifest_sha256 });
      const outcome = await revisionWorkers.build({
        manifest: { file, sha256: manifest_sha256, size, layout: 'current' },
        previous: null,
        artifacts: packList(artifacts as { path: string; size: number; sha256: string }[]),
        cover: null,
      });
      if (outcome.kind !== 'built') throw new Error(outcome.kind);
      return [
        Buffer.from(await objects.read({ storeId, sha256: index_sha256 })),
        Buffer.from(outcome.revision.index),
      ];
    }

    test('makes the index of the whole manifest without building it', async () => {
      await publisher.upload({ 'hand/hand.txt': 'finer', 'foot/foot.txt': 'foot', [THUMBNAIL]: 'another' });
      const another = fileEntry(THUMBNAIL, 'another');
      const changes = {
        assets: [changed('finer'), { id: 'foot', files: [fileEntry('foot/foot.txt', 'foot')] }],
        removed: ['leg'],
      };
      const registered = await registerChanges(changes, [another]);
      expect(registered).toMatchObject({
        status: 200,
        body: { assetCount: 43, fileCount: 4 },
        isWhole: false,
      });
      expect(await manifest()).toEqual(JSON.parse(current));
      const [index, whole] = await indexes([another]);
      expect(whole?.equals(index ?? Buffer.of())).toBe(true);
      const found = await ada.get<{ hits: { assetId: string }[] }>(`${publisher.path}/search?q=finer`);
      expect(found.body.hits.map(({ assetId }) => assetId)).toEqual(['hand']);
    });

    test('is refused like a whole manifest, and changes nothing', async () => {
      const lost = await registerChanges({ assets: [changed('never sent')] });
      expect(lost).toMatchObject({ status: 409, body: { error: 'files_missing' } });
      const refused = await registerChanges({ generated: { removed: [THUMBNAIL] } });
      expect(refused).toMatchObject({ status: 422, body: { error: 'manifest_invalid' } });
      const stolen = { id: 'thief', files: [fileEntry('arm/arm.txt', 'hand')] };
      const conflicting = await registerChanges({ assets: [stolen] });
      expect(conflicting).toMatchObject({ status: 422, body: { error: 'manifest_file_conflict' } });
      const inside = { id: 'inside', files: [fileEntry('arm/arm.txt/inside.txt', 'hand')] };
      const nested = await registerChanges({ assets: [inside] });
      expect(nested).toMatchObject({ status: 422, body: { error: 'manifest_file_conflict' } });
      expect(await manifest()).toEqual(JSON.parse(current));
    });

    test('finds that another file of the library is lost', async () => {
      const { db, objects } = service.context;
      const { store_id: storeId } = await db.selectFrom('libraries').selectAll().executeTakeFirstOrThrow();
      const { sha256: lost } = fileEntry('arm/arm.txt', 'arm');
      await objects.delete(storeId, [lost], async (hashes) => new Set(hashes));
      await publisher.upload({ 'hand/hand.txt': 'finer' });
      const { status, body } = await registerChanges({ assets: [changed('finer')] });
      expect([status, body]).toMatchObject([409, { error: 'files_missing', paths: ['arm/arm.txt'] }]);
    });

    test('is built as a whole if the index that it would be made of is damaged', async () => {
      const { db, objects } = service.context;
      const row = await db.selectFrom('libraries').selectAll().executeTakeFirstOrThrow();
      const file = await objects.localFile({ storeId: row.store_id, sha256: row.index_sha256 });
      await writeFile(file, 'damaged');
      await publisher.upload({ 'hand/hand.txt': 'finer' });
      const registered = await registerChanges({ assets: [changed('finer')] });
      expect(registered).toMatchObject({ status: 200, isWhole: true });
      expect(await manifest()).toEqual(JSON.parse(current));
    });
  });
});
