import type { DoorRevision } from '../../../doors/revision.ts';
import { encode } from '../../../signature-v4.ts';
import { invalidArgument } from './failures.ts';
import { type KeyEntry, listKeys } from './keys.ts';
import type { Query } from './signed.ts';
import { element, xmlDocument } from './xml.ts';

/** The most entries of a page, as at S3. */
const PAGE_SIZE = 1_000;

/** Returns a page of the keys of a bucket by either version of the request that lists them. Throws what S3 calls it. */
export async function listingOf(revision: DoorRevision, bucket: string, query: Query): Promise<string> {
  const { prefix = '', delimiter = '', marker = '', 'start-after': startAfter = '' } = query;
  const { 'max-keys': most = String(PAGE_SIZE), 'encoding-type': encoding = '' } = query;
  const isSecond = query['list-type'] === '2';
  const token = query['continuation-token'];
  if (!/^\d{1,9}$/.test(most)) throw invalidArgument('max-keys');
  if (!['', 'url'].includes(encoding)) throw invalidArgument('encoding-type');
  const limit = Math.min(Number(most), PAGE_SIZE);
  const after = isSecond ? (token ? readToken(token) : startAfter) : marker;
  const { entries, next } = await listKeys(revision.index, { prefix, delimiter, after, limit });

  const named = (name: string, text: string) => element(name, encoding === 'url' ? encodeKey(text) : text);
  const given = (name: string, text: string) => (text === '' ? '' : named(name, text));
  const owner = element('ID', revision.namespace) + element('DisplayName', revision.namespace);
  const withOwner = !isSecond || query['fetch-owner'] === 'true';
  const common =
    element('LastModified', new Date(revision.row.updated_at).toISOString()) +
    element('StorageClass', 'STANDARD') +
    (withOwner ? `<Owner>${owner}</Owner>` : '');
  const described = (entry: KeyEntry) =>
    'commonPrefix' in entry
      ? `<CommonPrefixes>${named('Prefix', entry.commonPrefix)}</CommonPrefixes>`
      : `<Contents>${named('Key', entry.key)}<ETag>&#34;${entry.file.sha256}&#34;</ETag>` +
        `${element('Size', entry.file.size)}${common}</Contents>`;
  return xmlDocument(
    'ListBucketResult',
    element('Name', bucket) +
      named('Prefix', prefix) +
      given('Delimiter', delimiter) +
      (encoding === '' ? '' : element('EncodingType', encoding)) +
      element('MaxKeys', limit) +
      element('IsTruncated', next !== null) +
      (isSecond
        ? element('KeyCount', entries.length) +
          (token === undefined ? '' : element('ContinuationToken', token)) +
          (next === null ? '' : element('NextContinuationToken', writeToken(next))) +
          given('StartAfter', startAfter)
        : named('Marker', marker) + given('NextMarker', next ?? '')) +
      entries.map(described).join(''),
  );
}

/** As S3 does it, with slashes as they are. */
function encodeKey(key: string): string {
  return encode(key).replaceAll('%2F', '/');
}

function writeToken(last: string): string {
  return Buffer.from(last).toString('base64url');
}

function readToken(token: string): string {
  const last = Buffer.from(token, 'base64url').toString();
  if (writeToken(last) !== token) throw invalidArgument('continuation-token');
  return last;
}
