import { forEachBounded } from '@bindery/concurrency/for-each';
import { percentDecoded } from '@bindery/formats';
import { ImportError } from '../failures.ts';
import { placeOf, RefusedRequest, type UpstreamRequests } from './requests.ts';
import {
  refuseTooMany,
  type SourceKind,
  type UpstreamContext,
  type UpstreamFile,
  type UpstreamTree,
} from './upstream.ts';

/** How many folders are listed, and files are asked about, at a time. */
const CONCURRENCY = 16;
const MAX_FOLDERS = 100_000;
const MAX_DEPTH = 64;

/** A folder of a web server that lists what is in it, or one archive. */
export const WEB: SourceKind = {
  example: 'https://example.org/models/',
  parse(address) {
    if (!/^https?:\/\//.test(address) || !URL.canParse(address)) return null;
    const url = new URL(address);
    const [, ending] = /\.(zip|tar|tar\.gz|tgz)$/.exec(url.pathname) ?? [];
    if (ending !== undefined) {
      const archive = ending === 'zip' ? 'zip' : 'tar';
      return {
        key: placeOf(address),
        address: () => address,
        open: (context) => openArchive(url, archive, context),
      };
    }
    if (!url.pathname.endsWith('/')) return null;
    return { key: placeOf(address), address: () => address, open: (context) => openFolder(url, context) };
  },
};

async function openArchive(
  url: URL,
  archive: 'zip' | 'tar',
  { requests, signal }: UpstreamContext,
): Promise<UpstreamTree> {
  const file = await describeFile(requests, url, '', signal);
  return treeOf(placeOf(url.href), [{ ...file, archive }], [], requests);
}

async function openFolder(root: URL, { requests, signal }: UpstreamContext): Promise<UpstreamTree> {
  const files: { url: URL; path: string }[] = [];
  const leftOut: { path: string; reason: string }[] = [];
  const seen = new Set([root.pathname]);
  for (let folders = [root]; folders.length > 0; ) {
    const listed = await inTurns(folders, (folder) => listFolder(requests, folder, signal));
    folders = [];
    for (const url of listed.flat()) {
      const path = percentDecoded(url.pathname.slice(root.pathname.length));
      if (seen.has(url.pathname)) continue;
      seen.add(url.pathname);
      if (!url.pathname.endsWith('/')) files.push({ url, path });
      else if (path.split('/').length > MAX_DEPTH || seen.size > MAX_FOLDERS + files.length)
        throw new ImportError('source_refused', `${placeOf(root.href)} has folders without an end.`);
      else if (path.split('/').some((segment) => segment.startsWith('.')))
        leftOut.push({ path, reason: 'hidden' });
      else folders.push(url);
      refuseTooMany(files.length);
    }
  }
  const described = await inTurns(files, ({ url, path }) => describeFile(requests, url, path, signal));
  return treeOf(placeOf(root.href), described, leftOut, requests);
}

function treeOf(
  source: string,
  files: UpstreamFile[],
  leftOut: UpstreamTree['leftOut'],
  requests: UpstreamRequests,
): UpstreamTree {
  return {
    ...{ source, files, leftOut, revision: null, folders: new Map() },
    library: { homepage: source, upstream: { repo: source } },
    concurrency: CONCURRENCY,
    open: ({ url, etag }, from, signal) =>
      requests.open(url, from, { headers: etag ? { 'if-range': etag } : {}, signal }),
    continues: async () => null,
    close: async () => {},
  };
}

/** Returns what the page of a folder links to within it. */
async function listFolder(requests: UpstreamRequests, folder: URL, signal?: AbortSignal): Promise<URL[]> {
  const { text, headers } = await requests.text(folder.href, { signal });
  if (!/^text\/html\b/.test(headers['content-type'] ?? ''))
    throw new ImportError('source_refused', `${placeOf(folder.href)} is not a page that lists a folder.`);
  return [...text.matchAll(/\shref="([^"\s]{1,4096})"/gi)].flatMap(([, link = '']) => {
    const reference = link.replaceAll('&amp;', '&');
    if (!URL.canParse(reference, folder)) return [];
    const url = new URL(reference, folder);
    const isBelow = url.origin === folder.origin && url.pathname.startsWith(folder.pathname);
    // Links with a query sort the list.
    return isBelow && url.pathname !== folder.pathname && url.search === '' ? [url] : [];
  });
}

/** A file is the same while its length, entity tag and date are. */
async function describeFile(
  requests: UpstreamRequests,
  url: URL,
  path: string,
  signal?: AbortSignal,
): Promise<UpstreamFile> {
  const { status, headers, body } = await requests.get(url.href, { method: 'HEAD', signal });
  await body.dump();
  if (status !== 200) throw new RefusedRequest(url.href, status);
  const { etag = '', 'last-modified': date = '', 'content-length': length = '' } = headers;
  const size = /^\d+$/.test(length) && headers['content-encoding'] === undefined ? Number(length) : null;
  const version = `${etag} ${date} ${length}`;
  return { path, version, size, digest: null, url: placeOf(url.href), ...(isStrong(etag) && { etag }) };
}

/** One that starts with `W/` is the same for content that is merely alike. */
function isStrong(etag: string): boolean {
  return etag.startsWith('"');
}

/** Works on all, some at a time; returns the results in the order of the items. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  await forEachBounded([...items.entries()], { concurrency: CONCURRENCY }, async ([at, item]) => {
    results[at] = await work(item);
  });
  return results;
}
