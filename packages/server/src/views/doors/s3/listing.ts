import { RESERVED_FOLDER } from '@bindery/contract';
import type { DoorRevision } from '../../../doors/revision.ts';
import { rootFiles } from '../../../doors/root-files.ts';
import { nextTurn, turnIsOver } from '../../../process/turns.ts';
import type { ClosureFile } from '../../../revision/file-closure.ts';
import type { RevisionIndex } from '../../../revision/revision-index.ts';
import { encode } from '../../../signature-v4.ts';
import { invalidArgument } from './failures.ts';
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

interface KeyQuery {
  /** What the keys begin with. */
  prefix: string;
  /** Keys that have it behind the prefix are one entry, that ends with it; empty for none. */
  delimiter: string;
  /** Only entries behind this one, in the order of UTF-8 bytes; empty for all. */
  after: string;
  /** The most entries. */
  limit: number;
}

type KeyEntry = { key: string; file: ClosureFile } | { commonPrefix: string };

interface KeyPage {
  entries: KeyEntry[];
  /** The last entry, behind which the next page begins; null if there is none. */
  next: string | null;
}

/**
 * Returns a page of the keys of a revision in the order of their UTF-8 bytes. What a common prefix stands for is skipped
 * at once, so a page takes as long for a library of a million files as for a small one.
 */
async function listKeys(
  { files }: Pick<RevisionIndex, 'files'>,
  { prefix, delimiter, after, limit }: KeyQuery,
): Promise<KeyPage> {
  const { paths } = files;
  const placeBehind = (key: string) => {
    const { first, exact } = paths.startingWith(key);
    return exact ? first + 1 : first;
  };
  /** Files that are not at their own place among the paths. */
  let others = rootFiles(files)
    .filter(({ path }) => path.startsWith(prefix))
    .map((file) => ({ file, place: placeBehind(file.path) }))
    .filter(({ file }) => after === '' || Buffer.compare(Buffer.from(file.path), Buffer.from(after)) > 0)
    .sort((one, other) => one.place - other.place);
  const { first, end } = paths.startingWith(prefix);
  const entries: KeyEntry[] = [];
  let place = after === '' ? first : Math.max(first, placeBehind(after));
  for (let last: string | null = null; limit > 0; ) {
    if (turnIsOver()) await nextTurn();
    const [other] = others;
    const isOther = other !== undefined && (other.place <= place || place >= end);
    if (!isOther && place >= end) break;
    const key = isOther ? other.file.path : paths.at(place);
    if (!isOther && files.isPlatform(place)) {
      place = key.startsWith(RESERVED_FOLDER) ? paths.startingWith(RESERVED_FOLDER).end : place + 1;
      continue;
    }
    const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const commonPrefix = cut < 0 ? null : key.slice(0, cut + delimiter.length);
    if (commonPrefix === null || !after.startsWith(commonPrefix)) {
      if (entries.length === limit) return { entries, next: last };
      last = commonPrefix ?? key;
      entries.push(
        commonPrefix === null ? { key, file: isOther ? other.file : files.at(place) } : { commonPrefix },
      );
    }
    if (commonPrefix === null) {
      if (isOther) others = others.slice(1);
      else place++;
    } else {
      others = others.filter(({ file }) => !file.path.startsWith(commonPrefix));
      place = Math.max(place, paths.startingWith(commonPrefix).end);
    }
  }
  return { entries, next: null };
}
