import { VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH, VECTORS_SCHEMA } from '@bindery/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { manifestOf, Publisher, sha256 } from './publisher.ts';

const DIM = 4;
const FILES = { 'arm.stl': 'solid arm', 'leg.stl': 'solid leg' };

let service: TestService;
let robots: Publisher;

beforeEach(async () => {
  service = await startService();
  robots = new Publisher(await service.member('anna'), 'anna', 'robots');
  await robots.upload(FILES);
});
afterEach(() => service.close());

function vectors(more: Record<string, unknown> = {}): string {
  const items = [
    { id: 'arm.stl', image: 0, text: 1 },
    { id: 'leg.stl', image: 1, text: null },
  ];
  return JSON.stringify({ schema: VECTORS_SCHEMA, model: 'a/b/c', dim: DIM, items, ...more });
}

function matrix(...rows: number[][]): Uint8Array {
  return new Uint8Array(Float32Array.from(rows.flat()).buffer);
}

const UNIT_ROWS = matrix([1, 0, 0, 0], [0, 1, 0, 0]);

async function publish(
  generated: string[],
  artifacts: Record<string, string | Uint8Array>,
): Promise<Record<string, unknown>> {
  await robots.upload(artifacts);
  await robots.uploadManifest(manifestOf(FILES, { generated }));
  const { status, body } = await robots.register();
  expect([200, 201]).toContain(status);
  return body;
}

const PAIR = [VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH];

describe('the sidecar of a registered library', () => {
  test('sets vectorsDim, and is kept by registers until a manifest no longer declares it', async () => {
    const body = await publish(PAIR, { [VECTORS_INDEX_PATH]: vectors(), [VECTORS_MATRIX_PATH]: UNIT_ROWS });
    expect(body).toMatchObject({ vectorsDim: DIM, semantic: false });
    expect(body).not.toHaveProperty('warnings');
    expect((await robots.register()).body).toMatchObject({ revision: 2, vectorsDim: DIM });
    expect(await publish([], {})).toMatchObject({ revision: 3, vectorsDim: null });
  });

  test('counts only if the manifest declares both of its files', async () => {
    const artifacts = { [VECTORS_INDEX_PATH]: vectors(), [VECTORS_MATRIX_PATH]: UNIT_ROWS };
    expect(await publish([], artifacts)).toMatchObject({ vectorsDim: null });
    expect(await publish([VECTORS_INDEX_PATH], artifacts)).toMatchObject({ vectorsDim: null });
    expect(await publish(PAIR, artifacts)).toMatchObject({ vectorsDim: DIM });
  });

  test.each<[string, string, Uint8Array, string]>([
    ['is not JSON', '{', UNIT_ROWS, 'not valid JSON'],
    ['names rows that do not exist', vectors(), matrix([1, 0, 0, 0]), 'names row 1'],
    ['has a matrix with an incomplete row', vectors(), new Uint8Array(18), 'not a whole number of rows'],
    ['has rows that are not normalised', vectors(), matrix([1, 0, 0, 0], [1, 1, 0, 0]), 'row 1 has length'],
    ['has numbers that are not finite', vectors(), matrix([1, 0, 0, 0], [Number.NaN, 0, 0, 0]), 'not finite'],
  ])('is ignored if it %s, and register warns why', async (_, document, rows, reason) => {
    const body = await publish(PAIR, { [VECTORS_INDEX_PATH]: document, [VECTORS_MATRIX_PATH]: rows });
    expect(body).toMatchObject({ vectorsDim: null, warnings: [expect.stringContaining(reason)] });
    expect((await robots.actor.get(robots.path)).body).not.toHaveProperty('warnings');
  });

  test('is the one whose hash the client names, whatever another push has uploaded since', async () => {
    const ours = vectors();
    const generated = PAIR;
    await robots.upload({ [VECTORS_INDEX_PATH]: ours, [VECTORS_MATRIX_PATH]: UNIT_ROWS });
    await robots.uploadManifest(manifestOf(FILES, { generated }));
    await robots.upload({ [VECTORS_INDEX_PATH]: 'what somebody else sent' });
    const artifacts = [{ path: VECTORS_INDEX_PATH, size: ours.length, sha256: sha256(ours) }];
    expect((await robots.register({ artifacts })).body).toMatchObject({ vectorsDim: DIM });
  });

  test('is a content_mismatch if the client names a hash that nobody uploaded', async () => {
    await robots.upload({ [VECTORS_INDEX_PATH]: vectors(), [VECTORS_MATRIX_PATH]: UNIT_ROWS });
    await robots.uploadManifest(manifestOf(FILES, { generated: PAIR }));
    const artifacts = [{ path: VECTORS_INDEX_PATH, size: 3, sha256: sha256('abc') }];
    expect((await robots.register({ artifacts })).body).toMatchObject({
      error: 'content_mismatch',
      paths: [VECTORS_INDEX_PATH],
    });
  });
});

describe('the assets.json layout of earlier clients', () => {
  const legacy = JSON.stringify({ assets: manifestOf(FILES).assets });

  test('is read, with its sidecar, if there is no manifest in the current layout', async () => {
    await robots.upload({
      'assets.json': legacy,
      'assets.vectors.json': vectors({ model: undefined }),
      'assets.vectors.f32': UNIT_ROWS,
    });
    const { status, body } = await robots.register();
    expect({ status, ...body }).toMatchObject({ status: 201, assetCount: 2, fileCount: 2, vectorsDim: DIM });
    const manifest = await robots.actor.get(`${robots.path}/manifest`);
    expect(manifest.body).toEqual(JSON.parse(legacy));
    expect((await robots.actor.get(`${robots.path}/assets/arm.stl`)).status).toBe(200);
  });

  test('needs no sidecar, and a newer assets.json replaces an older one', async () => {
    await robots.upload({ 'assets.json': legacy });
    expect((await robots.register()).body).toMatchObject({ revision: 1, assetCount: 2, vectorsDim: null });
    const less = { 'arm.stl': FILES['arm.stl'] };
    await robots.upload({ 'assets.json': JSON.stringify({ assets: manifestOf(less).assets }) });
    expect((await robots.register()).body).toMatchObject({ revision: 2, assetCount: 1 });
  });

  test('is ignored for good after the first push in the current layout', async () => {
    await robots.upload({ 'assets.json': legacy });
    await robots.register();
    await robots.uploadManifest(manifestOf(FILES));
    expect((await robots.register()).body).toMatchObject({ revision: 2 });
    await robots.upload({ 'assets.json': '{"assets": []}' });
    expect((await robots.register()).body).toMatchObject({ revision: 3, assetCount: 2 });
  });

  test('is rejected with manifest_invalid if it declares generated files', async () => {
    await robots.upload({ 'assets.json': JSON.stringify({ assets: [], generated: [] }) });
    expect(await robots.register()).toMatchObject({
      status: 422,
      body: { error: 'manifest_invalid', issues: [{ path: '/generated' }] },
    });
  });
});

describe('an invalid manifest', () => {
  test.each<[number, string, string | Uint8Array, string]>([
    [422, 'manifest_invalid_json', '{"schema"', ''],
    [422, 'manifest_invalid_json', '{"schema":"bindery.assets/v1","assets":[],"assets":[]}', '/assets'],
    [422, 'manifest_bad_schema', '{"assets":[]}', '/schema'],
    [422, 'manifest_invalid', '{"schema":"bindery.assets/v1"}', '/assets'],
    [
      422,
      'manifest_invalid_path',
      '{"schema":"bindery.assets/v1","assets":[],"generated":["elsewhere"]}',
      '/generated/0',
    ],
  ])('is refused with %i %s and its issues, and changes nothing', async (status, error, text, path) => {
    await robots.uploadManifest(text);
    const answer = await robots.register<{ error: string; issues: { path: string; message: string }[] }>();
    expect({ status: answer.status, error: answer.body.error }).toEqual({ status, error });
    expect(answer.body.issues).toEqual([{ path, message: expect.any(String) }]);
    expect((await robots.actor.get(robots.path)).status).toBe(404);
    await robots.uploadManifest(manifestOf(FILES));
    expect((await robots.register()).status).toBe(201);
  });
});
