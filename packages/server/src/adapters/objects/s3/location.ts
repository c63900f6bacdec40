import { encode, type Signable } from './signature-v4.ts';

/** Where a store's objects are: a bucket of an S3 service, and what all keys in it begin with. */
export interface S3Location {
  bucket: string;
  /** Without a slash at its ends; empty for the whole bucket. */
  prefix: string;
  /** Of the S3 service, where it is not Amazon's. */
  endpoint: string | null;
  region: string;
}

/** The address of a key, as clients and the service reach it. */
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
