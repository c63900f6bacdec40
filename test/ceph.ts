import { isCephInstalled, startCeph } from '../packages/server/test/objects/s3/ceph.ts';

/** Starts one Ceph for all S3 tests of a run. Without its binaries these tests are skipped; in CI that is a failure. */
export default async function startS3(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.BINDERY_TEST_S3) return undefined;
  if (!isCephInstalled()) {
    if (process.env.CI) throw new Error('Ceph is not installed; in CI nothing is skipped.');
    process.stderr.write('Ceph is not installed: the tests over S3 are skipped.\n');
    return undefined;
  }
  const { endpoint, accessKeyId, secretAccessKey, close } = await startCeph();
  process.env.BINDERY_TEST_S3 = JSON.stringify({ endpoint, accessKeyId, secretAccessKey });
  return close;
}
