import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { fileEntry, manifestOf, Publisher, sha256 } from './publisher.ts';

describe.each(databases)('register on $name', ({ open }) => {
  let service: TestService;
  let robots: Publisher;

  beforeEach(async () => {
    service = await startService({ database: await open() });
    robots = new Publisher(await service.member('anna'), 'anna', 'robots');
  });
  afterEach(() => service.close());

  test('the first register creates the library, private, at revision 1', async () => {
    const { status, body } = await robots.publish({ 'arm/arm.xml': '<mujoco/>', 'arm/link.stl': 'solid' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      namespace: 'anna',
      name: 'robots',
      type: '3d',
      revision: 1,
      assetCount: 1,
      fileCount: 2,
      totalBytes: 14,
      kinds: ['file'],
      visibility: 'private',
      vectorsDim: null,
      viewerCanManage: true,
      shareToken: null,
      indexRevision: null,
    });
    expect(body).not.toHaveProperty('warnings');
  });

  test('a register without new uploads registers the current manifest again', async () => {
    await robots.publish({ 'arm.stl': 'solid' });
    const again = await robots.register();
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ revision: 2, fileCount: 1 });
    expect((await robots.register()).body).toMatchObject({ revision: 3 });
  });

  test('a register of a library without any upload is refused with manifest_missing', async () => {
    const { status, body } = await robots.register();
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'manifest_missing' });
  });

  test('totals count each distinct user file once, and licenses include the inherited one', async () => {
    const texture = fileEntry('shared/wood.png', 'wood');
    await robots.upload({
      'a/a.obj': 'aaaa',
      'b/b.obj': 'bb',
      'shared/wood.png': 'wood',
      '.bindery/thumb.webp': 'thumbnail',
    });
    await robots.uploadManifest({
      schema: 'bindery.assets/v1',
      library: {
        type: 'furniture',
        title: 'Chairs',
        tags: ['wood'],
        license: 'CC0-1.0',
        upstream: { repo: 'r' },
      },
      assets: [
        {
          id: 'a',
          kind: 'mesh',
          category: 'chair',
          license: 'MIT',
          files: [fileEntry('a/a.obj', 'aaaa'), texture],
        },
        {
          id: 'b',
          kind: 'mesh',
          files: [fileEntry('b/b.obj', 'bb'), texture],
          thumbnail: '.bindery/thumb.webp',
        },
      ],
      generated: ['.bindery/thumb.webp'],
    });
    const { body } = await robots.register();
    expect(body).toMatchObject({
      type: 'furniture',
      title: 'Chairs',
      tags: ['wood'],
      license: 'CC0-1.0',
      upstreamRepo: 'r',
      assetCount: 2,
      fileCount: 3,
      totalBytes: 10,
      categories: ['chair'],
      kinds: ['mesh'],
      licenses: ['CC0-1.0', 'MIT'],
    });
    const cover = await fetch(String(body.coverThumbUrl));
    expect(await cover.text()).toBe('thumbnail');
  });

  test('a register with missing files lists the first 100 and their total, and changes nothing', async () => {
    await robots.publish({ 'arm.stl': 'solid' });
    const files = Object.fromEntries(Array.from({ length: 130 }, (_, at) => [`part-${at}`, `content ${at}`]));
    await robots.uploadManifest(manifestOf(files));
    const { status, body } = await robots.register<{ error: string; paths: string[]; total: number }>();
    expect({ status, error: body.error, total: body.total }).toEqual({
      status: 409,
      error: 'files_missing',
      total: 130,
    });
    expect(body.paths).toHaveLength(100);
    expect(body.paths).toEqual(Object.keys(files).sort().slice(0, 100));
    expect((await robots.actor.get(robots.path)).body).toMatchObject({ revision: 1, fileCount: 1 });
  });

  test('a file that was uploaded with other bytes is a content_mismatch', async () => {
    await robots.upload({ 'arm.stl': 'what was sent' });
    await robots.uploadManifest(manifestOf({ 'arm.stl': 'what was meant' }));
    const { status, body } = await robots.register();
    expect({ status, ...body }).toMatchObject({
      status: 409,
      error: 'content_mismatch',
      paths: ['arm.stl'],
      total: 1,
    });
  });

  test('a manifest entry with the right hash and a wrong size is a content_mismatch', async () => {
    await robots.upload({ 'arm.stl': 'solid' });
    const entry = { ...fileEntry('arm.stl', 'solid'), size: 6 };
    await robots.uploadManifest({ schema: 'bindery.assets/v1', assets: [{ id: 'arm', files: [entry] }] });
    expect((await robots.register()).body).toMatchObject({ error: 'content_mismatch', paths: ['arm.stl'] });
  });

  test('a declared platform artifact must be uploaded, and is carried over from the previous revision', async () => {
    const manifest = manifestOf({ 'arm.stl': 'solid' }, { generated: ['.bindery/notes.txt'] });
    await robots.upload({ 'arm.stl': 'solid' });
    await robots.uploadManifest(manifest);
    expect((await robots.register()).body).toMatchObject({
      error: 'files_missing',
      paths: ['.bindery/notes.txt'],
      total: 1,
    });
    await robots.upload({ '.bindery/notes.txt': 'hello' });
    expect((await robots.register()).status).toBe(201);
    expect((await robots.register()).status).toBe(200);
    const { body } = await robots.actor.post<{ files: unknown[] }>(`${robots.path}/files-presign`, {
      paths: ['.bindery/notes.txt'],
    });
    expect(body.files).toMatchObject([{ size: 5, sha256: sha256('hello') }]);
  });

  test('a thumbnail whose platform artifact was never uploaded is reported as missing', async () => {
    const generated = ['.bindery/thumb.webp'];
    await robots.upload({ 'arm.stl': 'solid' });
    await robots.uploadManifest({
      schema: 'bindery.assets/v1',
      assets: [{ id: 'arm', files: [fileEntry('arm.stl', 'solid')], thumbnail: generated[0] }],
      generated,
    });
    expect((await robots.register()).body).toMatchObject({ error: 'files_missing', paths: generated });
  });

  test('expectedRevision must be the current one; an absent library counts as 0', async () => {
    await robots.upload({ 'arm.stl': 'solid' });
    await robots.uploadManifest(manifestOf({ 'arm.stl': 'solid' }));
    expect(await robots.register({ expectedRevision: 3 })).toMatchObject({
      status: 409,
      body: { error: 'revision_conflict', revision: 0 },
    });
    expect((await robots.register({ expectedRevision: 0 })).status).toBe(201);
    expect(await robots.register({ expectedRevision: 0 })).toMatchObject({
      status: 409,
      body: { error: 'revision_conflict', revision: 1 },
    });
    expect((await robots.register({ expectedRevision: 1 })).body).toMatchObject({ revision: 2 });
  });

  test('exactly one of fifty concurrent registers with the same expectedRevision succeeds', async () => {
    await robots.publish({ 'arm.stl': 'solid' });
    await robots.uploadManifest(manifestOf({ 'arm.stl': 'solid' }));
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => robots.register({ expectedRevision: 1 })),
    );
    const lost = answers.filter(({ status }) => status === 409);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(lost).toHaveLength(49);
    for (const { body } of lost) expect(body).toMatchObject({ error: 'revision_conflict', revision: 2 });
  });

  test('exactly one of fifty concurrent creations with expectedRevision 0 succeeds', async () => {
    await robots.upload({ 'arm.stl': 'solid' });
    await robots.uploadManifest(manifestOf({ 'arm.stl': 'solid' }));
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => robots.register({ expectedRevision: 0 })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const lost = answers.filter(({ status }) => status === 409);
    expect(lost).toHaveLength(49);
    for (const { body } of lost) expect(body).toMatchObject({ error: 'revision_conflict', revision: 1 });
  });

  test('two overlapping pushes each register their own manifest by its hash', async () => {
    const ours = JSON.stringify(manifestOf({ 'ours.stl': 'ours' }));
    const theirs = JSON.stringify(manifestOf({ 'theirs.stl': 'theirs' }));
    await robots.upload({ 'ours.stl': 'ours', 'theirs.stl': 'theirs' });
    await robots.uploadManifest(ours);
    await robots.uploadManifest(theirs);
    await robots.register({ manifestSha256: sha256(ours) });
    expect((await robots.actor.get(`${robots.path}/manifest`)).body).toEqual(JSON.parse(ours));
    expect((await robots.register({ manifestSha256: sha256(theirs) })).body).toMatchObject({ revision: 2 });
    expect((await robots.actor.get(`${robots.path}/manifest`)).body).toEqual(JSON.parse(theirs));
    expect(await robots.register({ manifestSha256: sha256('nobody sent this') })).toMatchObject({
      status: 400,
      body: { error: 'manifest_missing' },
    });
  });

  test('a manifest superseded by a newer upload is not registered by a later register without a hash', async () => {
    await robots.upload({ 'a.stl': 'a', 'b.stl': 'b' });
    await robots.uploadManifest(manifestOf({ 'a.stl': 'a' }));
    await robots.uploadManifest(manifestOf({ 'b.stl': 'b' }));
    await robots.register();
    await robots.register();
    const { body } = await robots.actor.get<{ assets: { id: string }[] }>(`${robots.path}/manifest`);
    expect(body.assets.map(({ id }) => id)).toEqual(['b.stl']);
  });

  test('a register sets visibility and share, or keeps them if they are omitted', async () => {
    const first = await robots.publish({ 'arm.stl': 'solid' }, { visibility: 'public', share: true });
    expect(first.body).toMatchObject({
      visibility: 'public',
      shareToken: expect.stringMatching(/^[\w-]{32}$/),
    });
    const again = await robots.register();
    expect(again.body).toMatchObject({ visibility: 'public', shareToken: first.body.shareToken });
    const rotated = await robots.register({ share: 'rotate' });
    expect(rotated.body.shareToken).not.toBe(first.body.shareToken);
    expect((await robots.register({ share: false })).body.shareToken).toBeNull();
  });

  test('strangers, readers and read tokens cannot register', async () => {
    await robots.publish({ 'arm.stl': 'solid' });
    const path = `${robots.path}/register`;
    expect((await service.anonymous.post(path, {})).status).toBe(401);
    expect((await (await service.stranger()).post(path, {})).status).toBe(404);
    const reader = await service.token('anna', { scope: 'read' });
    expect((await reader.post(path, {})).status).toBe(403);
    await robots.register({ visibility: 'public' });
    expect((await (await service.stranger()).post(path, {})).status).toBe(403);
  });
});
