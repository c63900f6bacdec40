import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeBucket, s3, type TestBucket } from '../packages/server/test/objects/s3/bucket.ts';
import { createAuthor } from './author.ts';
import { bindery, type RunningService, serve, temporaryFolder } from './bindery.ts';

const MIB = 1024 * 1024;

/** Small files, uploaded through the service; one uploaded directly to the bucket; and one uploaded there in parts. */
const FILES: Record<string, Buffer> = {
  'arm/arm.xml': Buffer.from('<mujoco model="arm"/>'),
  ...Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`arm/meshes/link-${at}.obj`, Buffer.from(`o link ${at}`)]),
  ),
  'arm/meshes/base.stl': pattern(2 * MIB),
  'scan/scan.ply': pattern(65 * MIB),
};

describe.skipIf(s3 === null)('bindery library, with the files in a bucket', () => {
  let bucket: TestBucket;
  let service: RunningService;
  let home: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    if (!s3) return;
    bucket = await makeBucket(s3);
    home = await temporaryFolder();
    service = await serve({
      words: ['--objects', `s3://${bucket.name}/robotics/libraries`],
      env: {
        AWS_ENDPOINT_URL: s3.endpoint,
        AWS_ACCESS_KEY_ID: s3.accessKeyId,
        AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
      },
    });
    const token = await createAuthor(service);
    env = { HOME: home, BINDERY_NO_KEYCHAIN: '1', BINDERY_API_URL: service.url, BINDERY_TOKEN: token };
    for (const [path, bytes] of Object.entries(FILES)) {
      await mkdir(dirname(join(home, 'robots', path)), { recursive: true });
      await writeFile(join(home, 'robots', path), bytes);
    }
  });
  afterAll(async () => {
    if (!s3) return;
    await service.dispose();
    await rm(home, { recursive: true, force: true });
  });

  const library = (...words: string[]) => bindery(['library', ...words], { env });

  test('pushes twice and pulls the same files, all stored under the prefix in the bucket', async () => {
    const pushed = await library('push', join(home, 'robots'), 'ada/robots');
    expect(pushed).toMatchObject({ exitCode: 0 });
    const again = await library('push', join(home, 'robots'), 'ada/robots', '--json');
    expect(again).toMatchObject({ exitCode: 0 });
    const pulled = await library('pull', 'ada/robots', '--out', join(home, 'copy'));
    expect(pulled).toMatchObject({ exitCode: 0 });
    for (const [path, bytes] of Object.entries(FILES)) {
      expect((await readFile(join(home, 'copy', path))).equals(bytes), path).toBe(true);
    }
    const listing = await (await bucket.send({ method: 'GET', key: '' })).text();
    const keys = [...listing.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key]) => key);
    expect(keys.filter((key) => key?.includes('/objects/')).length).toBeGreaterThanOrEqual(43);
    expect(keys.every((key) => key?.startsWith('robotics/libraries/'))).toBe(true);
  });
});

/** Returns bytes that differ at every position of the file. */
function pattern(size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size; at += 4) bytes.writeUInt32LE((at * 2_654_435_761) % 2 ** 32, at);
  return bytes;
}
