import { PresignedUrls } from '../adapters/objects/http/presigned-urls.ts';
import { Keys } from '../adapters/objects/s3/keys.ts';
import { PresignedRequests } from '../adapters/objects/s3/presigned-requests.ts';
import { SignatureV4 } from '../adapters/objects/s3/signature-v4.ts';
import type { ObjectStore } from '../objects/store.ts';

/** Presigns downloads as a service with a disk store does. */
export function presignedOfDisk(): Pick<ObjectStore, 'presignGet'> {
  const urls = new PresignedUrls(new Uint8Array(32), Date.now);
  return {
    presignGet: (object, fileName, ttlSeconds) =>
      `http://127.0.0.1:7420${urls.get(object, fileName, ttlSeconds)}`,
  };
}

/** Presigns downloads of large files as a service with a bucket does, for a bucket that is never asked. */
export function presignedOfBucket(): (sha256: string, fileName: string) => string {
  const credentials = {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'a-secret-of-forty-characters',
  };
  const requests = new PresignedRequests({
    location: { bucket: 'bench', prefix: '', endpoint: 'http://127.0.0.1', region: 'us-east-1' },
    keys: new Keys(''),
    signer: new SignatureV4(() => credentials, 'us-east-1'),
    verification: 'signed-payload',
    urls: new PresignedUrls(Buffer.alloc(32), Date.now),
    publicUrl: () => '',
    clock: Date.now,
  });
  return (sha256, fileName) =>
    requests.get({ storeId: 'lab', sha256, size: 512 * 1024 ** 2 }, fileName, 3_600);
}
