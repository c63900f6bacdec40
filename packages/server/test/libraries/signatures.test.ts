import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Release } from '@bindery/contract';
import { type LogEntry, SignatureLog } from '@bindery/contract/signatures';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SigningKey, TIME } from '../../../sdk/test/signatures/signing-key.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { Publisher } from './publisher.ts';

let folder: string;
let key: SigningKey;
let stranger: SigningKey;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bindery-keys-'));
  [key, stranger] = [new SigningKey(folder, 'anna'), new SigningKey(folder, 'stranger')];
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(databases)('signatures on $name', ({ open }) => {
  let service: TestService;
  let anna: Actor;
  let robots: Publisher;
  let log: SignatureLog;
  let release: Release;

  beforeEach(async () => {
    service = await startService({ database: await open() });
    anna = await service.member('anna');
    robots = new Publisher(anna, 'anna', 'robots');
    await robots.publish({ 'arm/arm.stl': 'first arm' });
    ({ body: release } = await anna.post<Release>(`${robots.path}/releases`, { name: 'v1' }));
    log = new SignatureLog('anna/robots');
  });
  afterEach(() => service.close());

  const add = (entry: LogEntry) => anna.post(`${robots.path}/signatures`, entry);
  const list = async () =>
    (await anna.get<{ entries: LogEntry[] }>(`${robots.path}/signatures`)).body.entries;

  async function begin(): Promise<void> {
    key.append(log, { kind: 'allow', key: key.key });
    await add(log.entries[0] as LogEntry);
  }

  const signed = (change: Partial<Release> = {}, signer = key) => {
    const { name, revision, manifest } = { ...release, ...change };
    return signer.entry(log.next({ kind: 'release', release: { name, revision, manifest } }, TIME));
  };

  test('a log is empty, and grows by what allowed keys sign; the same again changes nothing', async () => {
    expect(await list()).toEqual([]);
    await begin();
    const entry = signed();
    expect(await add(entry)).toMatchObject({ status: 201, body: entry });
    expect(await add(entry)).toMatchObject({ status: 201, body: entry });
    expect(await list()).toEqual([...log.entries, entry]);
    expect(SignatureLog.read('anna/robots', await list()).release('v1')?.key).toBe(key.key);
  });

  test('what clients would refuse is refused, and leaves the log as it was', async () => {
    await begin();
    const refusals = [
      [signed({}, stranger), 'unknown_key'],
      [{ ...signed(), signature: (log.entries[0] as LogEntry).signature }, 'wrong_signature'],
      [{ ...signed(), statement: 'anything' }, 'malformed_statement'],
    ] as const;
    for (const [entry, problem] of refusals) {
      const { status, body } = await add(entry);
      expect({ status, body }).toMatchObject({ status: 422, body: { error: 'signature_refused', problem } });
    }
    expect(await list()).toEqual(log.entries);
  });

  test('a release that is not there, or has other contents, cannot be signed', async () => {
    await begin();
    const other = { sha256: 'ab'.repeat(32), size: 1 };
    for (const entry of [signed({ name: 'v2' }), signed({ revision: 9 }), signed({ manifest: other })])
      expect(await add(entry)).toMatchObject({ status: 422, body: { error: 'signature_refused' } });
    expect(await list()).toEqual(log.entries);
  });

  test('of two who sign at the same time one is told that somebody else did', async () => {
    await begin();
    await anna.post(`${robots.path}/releases`, { name: 'v2' });
    const entries = [signed(), signed({ name: 'v2' })];
    const answers = await Promise.all(entries.map(add));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ error: 'signature_conflict' });
    expect(await list()).toHaveLength(2);
  });

  test('the log outlives a release that is deleted, and the name cannot be signed for other contents', async () => {
    await begin();
    const entry = signed();
    log.append(entry);
    await add(entry);
    await anna.delete(`${robots.path}/releases/v1`);
    expect(await list()).toEqual(log.entries);
    await robots.publish({ 'arm/arm.stl': 'second arm' });
    ({ body: release } = await anna.post<Release>(`${robots.path}/releases`, { name: 'v1' }));
    const { statement } = signed({ name: 'other' });
    const again = key.entry(statement.replace('release: other', 'release: v1'));
    expect(await add(again)).toMatchObject({ status: 422, body: { problem: 'signed_before' } });
  });

  test('a library that is purged takes its log with it', async () => {
    await begin();
    await anna.delete(robots.path);
    await anna.delete(`${robots.path}/purge`);
    await robots.publish({ 'arm/arm.stl': 'first arm' });
    expect(await list()).toEqual([]);
    expect(await service.context.db.selectFrom('signatures').selectAll().execute()).toEqual([]);
  });
});
