import { parseXml, type XmlElement } from '@bindery/formats';
import { AwsV4Signer } from 'aws4fetch';
import { ImportError } from '../failures.ts';
import {
  refuseTooMany,
  type SourceKind,
  type UpstreamContext,
  type UpstreamFile,
  type UpstreamTree,
} from './upstream.ts';

type Environment = UpstreamContext['environment'];

/** A bucket or a part of one, with the settings of the AWS command line (`AWS_…`); without credentials a public one. */
export const BUCKET: SourceKind = {
  example: 's3://bucket/folder',
  parse(address) {
    const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]+)(?:\/(.*))?$/.exec(address) ?? [];
    if (bucket === undefined) {
      if (!address.startsWith('s3:')) return null;
      throw new ImportError(
        'source_invalid',
        `invalid source "${address}": expected s3://<bucket>[/<folder>]`,
      );
    }
    const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
    return {
      key: `s3://${bucket}/${folder}`,
      address: (environment) => addressOf(bucket, environment),
      open: async (context) => {
        const environment = await withRegion(bucket, context);
        const source = `s3://${bucket}/${folder}`;
        return openBucket(addressOf(bucket, environment), folder, source, { ...context, environment });
      },
    };
  },
};

function addressOf(
  bucket: string,
  { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, ...environment }: Environment,
): string {
  const endpoint =
    AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL ?? `https://s3.${regionOf(environment)}.amazonaws.com`;
  return `${endpoint.replace(/\/$/, '')}/${bucket}`;
}

function regionOf({ AWS_REGION, AWS_DEFAULT_REGION }: Environment): string {
  return AWS_REGION ?? AWS_DEFAULT_REGION ?? 'us-east-1';
}

/** Adds the region that a bucket is in, which it tells everybody, where no setting says where to look. */
async function withRegion(
  bucket: string,
  { requests, environment, signal }: UpstreamContext,
): Promise<Environment> {
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_REGION, AWS_DEFAULT_REGION } = environment;
  if (AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL ?? AWS_REGION ?? AWS_DEFAULT_REGION) return environment;
  const { headers, body } = await requests.get(addressOf(bucket, environment), { method: 'HEAD', signal });
  await body.dump();
  const region = headers['x-amz-bucket-region'] ?? '';
  return /^[a-z0-9-]{1,40}$/.test(region) ? { ...environment, AWS_REGION: region } : environment;
}

async function openBucket(
  bucket: string,
  folder: string,
  source: string,
  { requests, environment, signal }: UpstreamContext,
): Promise<UpstreamTree> {
  const files: UpstreamFile[] = [];
  let pages = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const query = new URLSearchParams({ 'list-type': '2', prefix: folder });
    if (after !== '') query.set('continuation-token', after);
    const url = `${bucket}?${query}`;
    const { text } = await requests.text(url, { headers: await signed(url, environment), signal });
    const list = parseXml(Buffer.from(text));
    for (const entry of list.children.filter(({ name }) => name === 'Contents')) {
      const key = textOf(entry, 'Key') ?? '';
      // Stands for a folder without files.
      if (key.endsWith('/')) continue;
      const size = Number(textOf(entry, 'Size'));
      const address = `${bucket}/${key.split('/').map(encodeKey).join('/')}`;
      const etag = textOf(entry, 'ETag') ?? '';
      const version = `${etag} ${textOf(entry, 'LastModified')}`;
      files.push({ path: key.slice(folder.length), version, size, digest: null, url: address, etag });
    }
    refuseTooMany(files.length);
    refuseTooMany(++pages);
    const next = textOf(list, 'NextContinuationToken');
    if (next !== undefined && next === after)
      throw new ImportError('source_refused', `${source} repeats its list.`);
    after = textOf(list, 'IsTruncated') === 'true' ? next : undefined;
  }
  return {
    ...{ source, revision: null, folders: new Map(), files, leftOut: [], concurrency: 16 },
    library: { upstream: { repo: source } },
    open: async ({ url, etag = '' }, from, fileSignal) => {
      const headers = { ...(await signed(url, environment)), 'if-range': etag };
      return requests.open(url, from, { headers, signal: fileSignal });
    },
    continues: async () => null,
    close: async () => {},
  };
}

function textOf({ children }: XmlElement, name: string): string | undefined {
  return children.find((child) => child.name === name)?.text;
}

function encodeKey(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Returns the headers of a request; none without credentials. */
async function signed(url: string, environment: Environment): Promise<Record<string, string>> {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return {};
  const { headers } = await new AwsV4Signer({
    ...{ url, service: 's3', region: regionOf(environment) },
    ...{ accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY },
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  }).sign();
  return Object.fromEntries(headers);
}
