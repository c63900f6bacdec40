import { describe, expect, test } from 'vitest';
import { makeBucket, s3, type TestBucket } from '../../../server/test/objects/s3/bucket.ts';
import { BUCKET } from '../../src/import/bucket.ts';
import { importLibrary } from '../../src/import/import-library.ts';
import { UpstreamRequests } from '../../src/import/requests.ts';
import { ADDRESS, type Publisher, publishers } from '../push/publisher.ts';

const ARM = '<mujoco model="arm"><worldbody><geom size="1"/></worldbody></mujoco>';

async function put(bucket: TestBucket, key: string, content: string): Promise<void> {
  const hex = (one: string) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`;
  const encoded = key.split('/').map((part) => encodeURIComponent(part).replaceAll(/[!'()*]/g, hex));
  const body = Buffer.from(content);
  const { status } = await bucket.send({ method: 'PUT', key: encoded.join('/'), body });
  expect(status).toBe(200);
}

/** Amazon, with a bucket in Oregon. */
class Oregon extends UpstreamRequests {
  readonly asked: string[] = [];

  override async get(address: string) {
    this.asked.push(address);
    const body = { dump: async () => {} } as never;
    return { status: 301, headers: { 'x-amz-bucket-region': 'us-west-2' }, body };
  }

  override async text(address: string) {
    this.asked.push(address);
    return { text: '<ListBucketResult/>', headers: {} };
  }
}

test.each([
  [{}, ['https://s3.us-east-1.amazonaws.com/props', 'https://s3.us-west-2.amazonaws.com/props?']],
  [{ AWS_REGION: 'eu-west-1' }, ['https://s3.eu-west-1.amazonaws.com/props?']],
])('a bucket is read in its region, or where %j says', async (environment, expected) => {
  const requests = new Oregon();
  await BUCKET.parse('s3://props/arms')?.open({ requests, environment, folder: '' });
  expect(requests.asked).toEqual(expected.map((address) => expect.stringContaining(address)));
  expect(requests.asked).toHaveLength(expected.length);
});

describe.skipIf(s3 === null)('an import from a bucket', () => {
  const { endpoint, accessKeyId, secretAccessKey } = s3 ?? {};
  const environment = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  };

  test('brings a folder of it with names of all kinds, and later what changed', async () => {
    if (!s3) return;
    const bucket = await makeBucket(s3);
    await put(bucket, 'robots/arm/arm.xml', ARM);
    await put(bucket, "robots/arm/größe (1)+2 '&=.obj", 'o');
    for (let at = 0; at < 1_100; at++) await put(bucket, `robots/scan/part ${at}.txt`, `${at}`);
    await put(bucket, 'robots/scan/scan.ply', 'ply');
    await put(bucket, 'other/hand.xml', ARM);
    const [ann] = (await publishers(1)) as [Publisher];
    const bring = () =>
      importLibrary(ann.client, ADDRESS, `s3://${bucket.name}/robots`, { ...ann.options, environment });
    expect(await bring()).toMatchObject({ status: 'published', fetched: { files: 1_103 } });
    expect(await bring()).toMatchObject({ status: 'unchanged', fetched: { files: 0 } });
    await put(bucket, 'robots/arm/arm.xml', `${ARM}\n`);
    expect(await bring()).toMatchObject({ fetched: { files: 1 }, assets: { changed: ['arm'] } });
  });

  test('says that it may not read one of others', async () => {
    if (!s3) return;
    const bucket = await makeBucket(s3);
    const [ann] = (await publishers(1)) as [Publisher];
    const nobody = { AWS_ENDPOINT_URL: endpoint };
    await expect(
      importLibrary(ann.client, ADDRESS, `s3://${bucket.name}/`, { ...ann.options, environment: nobody }),
    ).rejects.toThrow(/answered 403. It needs a sign-in/);
  });
});
