import { randomBytes } from 'node:crypto';
import { BUNDLE, LIMITS, type Transfer } from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reclaim } from '../../src/objects/retention/reclaim.ts';
import type { Actor } from '../actor.ts';
import { fileEntry, manifestOf, Publisher, sha256 } from '../libraries/publisher.ts';
import { framed } from '../objects/bundle-frames.ts';
import { s3 } from '../objects/s3/bucket.ts';
import { postgres, type Replicas, startReplicas } from './replicas.ts';

/** More than a bundle brings, so it goes past the service. */
const LARGE = 'scan '.repeat(80_000);
const PART = LIMITS.partSize;

interface Multipart extends Extract<Transfer, { kind: 's3-multipart' }> {}

describe.skipIf(postgres === null || s3 === null)('three replicas over a bucket', () => {
  let replicas: Replicas;
  let ada: Actor;
  beforeAll(async () => {
    if (s3 === null) return;
    replicas = await startReplicas({ s3 });
    ada = await replicas.member('ada');
  });
  afterAll(() => replicas.close());

  const pathOf = (name: string) => `/namespaces/ada/libraries/${name}`;
  const publisher = (name: string, actor = ada) => new Publisher(actor, 'ada', name);

  async function transfersOf(
    actor: Actor,
    name: string,
    files: { relativePath: string; size: number; sha256?: string }[],
  ): Promise<Transfer[]> {
    const { status, body } = await actor.post<{ files: { transfer: Transfer }[] }>(
      `${pathOf(name)}/upload-authorizations`,
      { files },
    );
    expect([status, body]).toMatchObject([200, {}]);
    return body.files.map(({ transfer }) => transfer);
  }

  async function urlOf(actor: Actor, name: string, path: string): Promise<string> {
    const { body } = await actor.post<{ files: { url: string }[] }>(`${pathOf(name)}/files-presign`, {
      paths: [path],
    });
    return body.files[0]?.url ?? '';
  }

  /** The hashes of all objects in the store of a library. */
  async function storedContents(name: string): Promise<string[]> {
    const [first] = replicas.services;
    if (!first) throw new Error('there is no replica');
    const { db, objects } = first.context;
    const names = db.selectFrom('library_names').select('store_id').where('name', '=', name);
    const { store_id: storeId } = await names.executeTakeFirstOrThrow();
    return Array.fromAsync(objects.list(storeId), (object) => object.sha256);
  }

  /** The same URL, asked of one replica. A URL of the bucket itself stays. */
  const askedOf = (replica: number, url: string) =>
    url.replace(replicas.balancer.url, replicas.services[replica]?.url ?? '');

  test.each([0, 1, 2])(
    'publish a push whose requests reach different ones (from %s on), and all read it at once',
    async (first) => {
      const name = `robots-${first}`;
      const files = { 'arm/arm.xml': `<mujoco v="${first}"/>`, 'scan/scan.ply': `${LARGE}${first}` };
      replicas.balancer.turnTo(first);
      expect((await publisher(name).publish(files)).status).toBe(201);
      for (const [replica] of replicas.services.entries()) {
        const reader = replicas.at(replica, ada);
        expect((await reader.get(`${pathOf(name)}/manifest`)).body).toEqual(manifestOf(files));
        expect((await reader.get(`${pathOf(name)}/search?q=arm`)).body).toMatchObject({ total: 1 });
        for (const [path, content] of Object.entries(files)) {
          const url = askedOf((replica + 1) % 3, await urlOf(reader, name, path));
          expect(await (await fetch(url)).text()).toBe(content);
        }
      }
    },
  );

  test('read the newest revision, wherever it was registered and whatever they have read before', async () => {
    const at = (replica: number) => publisher('moving', replicas.at(replica, ada));
    for (let revision = 1; revision <= 6; revision++) {
      const files = { 'arm/arm.xml': `<mujoco revision="${revision}"/>` };
      expect((await at(revision % 3).publish(files)).body).toMatchObject({ revision });
      for (const [replica] of replicas.services.entries()) {
        const reader = replicas.at(replica, ada);
        expect((await reader.get(pathOf('moving'))).body).toMatchObject({ revision });
        expect((await reader.get(`${pathOf('moving')}/manifest`)).body).toEqual(manifestOf(files));
        const { body } = await reader.get<{ files: { sha256: string }[] }>(`${pathOf('moving')}/assets/arm`);
        expect(body.files[0]?.sha256).toBe(sha256(files['arm/arm.xml']));
      }
    }
  });

  test('accept only one of nine concurrent registers with the same expectedRevision', async () => {
    await publisher('contested').publish({ 'arm/arm.xml': 'first' });
    const answers = await Promise.all(
      Array.from({ length: 9 }, async (_, at) => {
        const one = publisher('contested', replicas.at(at, ada));
        return one.publish({ 'arm/arm.xml': `of ${at}` }, { expectedRevision: 1 });
      }),
    );
    const published = answers.filter(({ status }) => status === 200);
    expect(published).toHaveLength(1);
    for (const { status } of answers) expect([200, 409, 503]).toContain(status);
    expect((await ada.get(pathOf('contested'))).body).toMatchObject({ revision: 2 });
  });

  test('accept a bundle at one that another authorized, and serve its files from a third', async () => {
    const contents = Array.from({ length: 40 }, (_, at) => `file ${at}`);
    const files = Object.fromEntries(contents.map((content, at) => [`many/${at}.txt`, content]));
    const transfers = await transfersOf(
      replicas.at(0, ada),
      'bundled',
      Object.entries(files).map(([relativePath, content]) => ({
        ...{ relativePath, size: content.length, sha256: sha256(content) },
      })),
    );
    const frames = transfers.map((transfer, at) => {
      if (transfer.kind !== 'single-put') throw new Error(`not a single put: ${transfer.kind}`);
      return framed(transfer.put.url.slice(replicas.balancer.url.length), Buffer.from(contents[at] ?? ''));
    });
    const sent = await fetch(`${replicas.services[1]?.url}${BUNDLE.path}`, {
      method: 'PUT',
      body: Buffer.concat(frames),
    });
    expect(sent.status).toBe(200);
    const register = publisher('bundled', replicas.at(2, ada));
    await register.uploadManifest(manifestOf(files));
    expect((await register.register()).status).toBe(201);
    const { body } = await replicas
      .at(1, ada)
      .post<{ files: { url: string }[] }>(`${pathOf('bundled')}/files-presign`, {
        paths: Object.keys(files),
      });
    const asked = body.files.map(({ url }) => url.slice(replicas.balancer.url.length)).join('\n');
    const bundle = await fetch(`${replicas.services[2]?.url}${BUNDLE.path}`, { method: 'POST', body: asked });
    expect(bundle.status).toBe(200);
    const text = Buffer.from(await bundle.arrayBuffer()).toString('latin1');
    for (const content of contents) expect(text).toContain(content);
  });

  describe('accept a multipart upload', () => {
    const bytes = Buffer.alloc(LIMITS.multipartFrom + 5, 'geometry ');
    const whole = { size: bytes.length, sha256: sha256(bytes) };

    async function begin(replica: number, name: string, relativePath: string): Promise<Multipart> {
      const [transfer] = await transfersOf(replicas.at(replica, ada), name, [{ relativePath, ...whole }]);
      if (transfer?.kind !== 's3-multipart') throw new Error(`not in parts: ${transfer?.kind}`);
      return transfer;
    }

    async function sendPart({ parts }: Multipart, partNumber: number, replica: number): Promise<number> {
      const part = parts.find((one) => one.partNumber === partNumber);
      if (!part) throw new Error(`part ${partNumber} is not wanted`);
      const start = (partNumber - 1) * PART;
      const answer = await fetch(askedOf(replica, part.url), {
        method: 'PUT',
        headers: part.headers,
        body: new Uint8Array(bytes.subarray(start, start + part.size)),
      });
      await answer.arrayBuffer();
      return answer.status;
    }

    const complete = (transfer: Multipart, replica: number) =>
      replicas
        .at(replica, ada)
        .post(transfer.complete.url.slice(replicas.balancer.url.length), { parts: [] });

    test('begun at one, resumed at another and completed at all of them at once', async () => {
      const begun = await begin(0, 'parts', 'scan.ply');
      expect(await Promise.all([1, 3].map((number, at) => sendPart(begun, number, at)))).toEqual([200, 200]);
      const resumed = await begin(1, 'parts', 'scan.ply');
      expect(resumed.uploadId).toBe(begun.uploadId);
      expect(resumed.parts.map(({ partNumber }) => partNumber)).toEqual([2, 4, 5]);
      const rest = [2, 4, 5].map((number, at) => sendPart(resumed, number, at));
      expect(await Promise.all(rest)).toEqual([200, 200, 200]);
      const answers = await Promise.all([0, 1, 2, 0, 1, 2].map((replica) => complete(resumed, replica)));
      expect(answers.map(({ status, body }) => ({ status, body }))).toEqual(
        answers.map(() => ({ status: 200, body: { relativePath: 'scan.ply', ...whole } })),
      );
      const one = publisher('parts', replicas.at(2, ada));
      await one.uploadManifest({
        ...manifestOf({}),
        assets: [{ id: 'scan', files: [fileEntry('scan.ply', bytes)] }],
      });
      expect((await one.register()).status).toBe(201);
      const got = await fetch(askedOf(1, await urlOf(replicas.at(0, ada), 'parts', 'scan.ply')));
      expect(sha256(Buffer.from(await got.arrayBuffer()))).toBe(whole.sha256);
    });

    test('whose parts are each sent to all of them at once', async () => {
      const begun = await begin(0, 'same-part', 'scan.ply');
      for (const number of [1, 2, 3, 4, 5]) {
        const sent = await Promise.all([0, 1, 2].map((replica) => sendPart(begun, number, replica)));
        expect(sent).toEqual([200, 200, 200]);
      }
      expect(await complete(begun, 1)).toMatchObject({ status: 200, body: whole });
    });

    test('from scratch after an abort at another one, which makes it 404 at all of them', async () => {
      const begun = await begin(0, 'aborted', 'scan.ply');
      await sendPart(begun, 1, 0);
      const abort = begun.abort.url.slice(replicas.balancer.url.length);
      expect((await replicas.at(1, ada).delete(abort)).status).toBe(204);
      expect(await sendPart(begun, 2, 0)).toBe(404);
      expect((await complete(begun, 2)).status).toBe(404);
      const anew = await begin(0, 'aborted', 'scan.ply');
      expect(anew.uploadId).not.toBe(begun.uploadId);
      expect(anew.parts).toHaveLength(5);
    });

    test('again from its first part after it was abandoned for a day and reclaimed at another one', async () => {
      const begun = await begin(0, 'late', 'scan.ply');
      await sendPart(begun, 1, 0);
      for (const one of replicas.services) one.advance(86_000);
      // Asked for again just before its day is over, and reclaimed by another process after it.
      const resumed = await begin(0, 'late', 'scan.ply');
      expect(resumed.parts.map(({ partNumber }) => partNumber)).toEqual([2, 3, 4, 5]);
      for (const one of replicas.services) one.advance(2_000);
      const [, other] = replicas.services;
      if (other) await reclaim(other.context);
      const again = await begin(0, 'late', 'scan.ply');
      expect(again.parts.map(({ partNumber }) => partNumber)).toEqual([1, 2, 3, 4, 5]);
      for (const { partNumber } of again.parts) expect(await sendPart(again, partNumber, 0)).toBe(200);
      expect(await complete(again, 2)).toMatchObject({ status: 200, body: whole });
    });
  });

  test('accept a share token at all of them, and refuse it at all of them once it is rotated', async () => {
    await publisher('lent').publish({ 'arm/arm.xml': randomBytes(8).toString('hex') });
    const { body } = await replicas.at(0, ada).post<{ shareToken: string }>(pathOf('lent'), { share: true });
    const shared = `${pathOf('lent')}?share=${body.shareToken}`;
    const statuses = () =>
      Promise.all(
        [0, 1, 2].map(async (at) => (await replicas.at(at, replicas.anonymous).get(shared)).status),
      );
    expect(await statuses()).toEqual([200, 200, 200]);
    await replicas.at(1, ada).post(pathOf('lent'), { share: 'rotate' });
    expect(await statuses()).toEqual([404, 404, 404]);
  });

  test('all see at once that a library was deleted, restored or purged at one of them', async () => {
    await publisher('brief').publish({ 'arm/arm.xml': 'brief' });
    const url = await urlOf(ada, 'brief', 'arm/arm.xml');
    const statuses = () =>
      Promise.all([0, 1, 2].map(async (at) => (await replicas.at(at, ada).get(pathOf('brief'))).status));
    expect(await statuses()).toEqual([200, 200, 200]);
    expect((await replicas.at(0, ada).delete(pathOf('brief'))).status).toBe(200);
    expect(await statuses()).toEqual([404, 404, 404]);
    expect((await replicas.at(1, ada).post(`${pathOf('brief')}/restore`)).status).toBe(200);
    expect(await statuses()).toEqual([200, 200, 200]);
    await replicas.at(1, ada).delete(pathOf('brief'));
    expect((await replicas.at(2, ada).delete(`${pathOf('brief')}/purge`)).status).toBe(200);
    expect(await statuses()).toEqual([404, 404, 404]);
    for (const at of [0, 1, 2]) expect((await fetch(askedOf(at, url))).status).toBe(404);
  });

  test('delete replaced files and keep the current ones when they all reclaim at once', async () => {
    const files = (version: number) => ({ 'arm/arm.xml': `<arm v="${version}"/>`, 'base.xml': '<base/>' });
    for (const version of [1, 2, 3]) {
      await publisher('replaced', replicas.at(version, ada)).publish(files(version));
    }
    for (let day = 0; day < 3; day++) {
      for (const one of replicas.services) one.advance(86_460);
      await Promise.all(replicas.services.map(({ context }) => reclaim(context)));
    }
    for (const [path, content] of Object.entries(files(3))) {
      const url = await urlOf(ada, 'replaced', path);
      expect(await (await fetch(url)).text()).toBe(content);
    }
    const left = await storedContents('replaced');
    const arms = [1, 2, 3].map((version) => sha256(files(version)['arm/arm.xml']));
    expect(arms.map((arm) => left.includes(arm))).toEqual([false, false, true]);
  });

  test('publish and read the same content with clocks a minute apart', async () => {
    const [ahead, behind] = replicas.services;
    ahead?.advance(30);
    behind?.advance(-30);
    for (let revision = 1; revision <= 4; revision++) {
      const files = { 'arm/arm.xml': `<arm revision="${revision}"/>`, 'scan.ply': `${LARGE}${revision}` };
      replicas.balancer.turnTo(revision % 3);
      expect((await publisher('apart').publish(files)).body).toMatchObject({ revision });
      for (const [replica] of replicas.services.entries()) {
        for (const [path, content] of Object.entries(files)) {
          const url = await urlOf(replicas.at(replica, ada), 'apart', path);
          expect(await (await fetch(askedOf((replica + 1) % 3, url))).text()).toBe(content);
        }
      }
    }
    ahead?.advance(-30);
    behind?.advance(30);
  });
});
