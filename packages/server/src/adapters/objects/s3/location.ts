import { encode, type Signable } from './signature-v4.ts';

/** Where a store's objects are: a bucket of an S3 service, and a prefix of all keys. */
export interface S3Location {
  bucket: string;
  /** Without leading or trailing slash; empty for the whole bucket. */
  prefix: string;
  /** The URL of the S3 service; null for Amazon's. */
  endpoint: string | null;
  region: string;
}

/** Returns the URL of a key, as clients and the service reach it. */
export function urlOf({ bucket, endpoint, region }: S3Location, key: string): Signable['url'] {
  const path = key === '' ? '' : `/${key.split('/').map(encode).join('/')}`;
  if (endpoint === null) {
    return { protocol: 'https:', host: `${bucket}.s3.${region}.amazonaws.com`, pathname: path || '/' };
  }
  const { protocol, host, pathname } = new URL(endpoint);
  return { protocol, host, pathname: `${pathname.replace(/\/+$/, '')}/${bucket}${path}` };
}

/** The origin of presigned URLs. */
export function originOf(location: S3Location): string {
  const { protocol, host } = urlOf(location, '');
  return `${protocol}//${host}`;
}
