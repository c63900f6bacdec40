import type { BindrChoicePage, NoteNodes, PresignedFile } from '@bindery/contract';
import { effectiveLicense, routes } from '@bindery/contract/wire';
import type {
  AssetCard,
  Catalog,
  FoundAssets,
  RevisionName,
  SearchRequest,
  VerifiedFile,
} from '@bindery/mcp';
import {
  AssetNotFoundError,
  type Client,
  formatLibraryAddress,
  libraryParams,
  readQuery,
} from '@bindery/sdk';
import { readVerified } from './read-verified.ts';
import { withToolErrors } from './with-tool-errors.ts';

/** The contents of a service, read through its HTTP API with the user's token. */
export function remoteCatalog(client: Client, cacheFolder: string): Catalog {
  return withToolErrors<Catalog>({
    search: (request) => search(client, request),
    listLibraries: async (namespace, limit) => listLibraries(client, namespace, limit),
    listReleases: (library, page) =>
      client.call(routes.releases.listReleases, { params: libraryParams(library), query: page }),
    readAsset: (library, assetId, page) => readAsset(client, cacheFolder, library, assetId, page),
    readFile: (library, path, maxBytes) => readFile(client, library, path, maxBytes),
    listNoteNodes: async (namespace, noteId) =>
      (await client.call(routes.notes.listNoteProjects, {
        params: { namespace, noteId },
        query: { view: 'nodes' },
      })) as NoteNodes,
    listBindrs: async (params, page) =>
      (await client.call(routes.bindrs.listBindrs, {
        params,
        query: { view: 'choices', ...page },
      })) as BindrChoicePage,
  });
}

async function search(client: Client, { libraries, query: q, ...page }: SearchRequest): Promise<FoundAssets> {
  const { semantic, total, didYouMean, skipped, hits } = await found(client, libraries, { q, ...page });
  return {
    semantic,
    total,
    didYouMean: didYouMean ?? null,
    skipped: skipped.map(({ library }) => library),
    found: hits.map((hit) => ({ hit, picture: pictureAt(client, hit.thumbnailUrl) })),
  };
}

async function found(
  client: Client,
  libraries: SearchRequest['libraries'],
  asked: { q: string; limit: number; offset: number },
) {
  if (libraries === null) return client.call(routes.search.searchEverything, { query: asked });
  const query = { ...asked, rank: 'relevance' as const };
  const [only] = libraries;
  if (only?.release !== undefined) {
    const { hits, ...one } = await client.call(routes.search.searchLibrary, {
      params: libraryParams(only),
      query: { ...query, ...readQuery(only) },
    });
    const { namespace, name: library } = only;
    return { ...one, skipped: [], hits: hits.map((hit) => ({ namespace, library, ...hit })) };
  }
  return client.call(routes.search.searchLibraries, {
    query: { ...query, libraries: libraries.map(formatLibraryAddress).join(',') },
  });
}

async function listLibraries(client: Client, namespace: string | null, limit: number) {
  if (namespace === null) {
    return (await client.call(routes.libraries.listAllLibraries, { query: { limit } })).libraries;
  }
  const { libraries } = await client.call(routes.libraries.listLibraries, { params: { namespace } });
  return libraries.slice(0, limit);
}

async function readAsset(
  client: Client,
  cacheFolder: string,
  library: RevisionName,
  id: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<AssetCard> {
  const { digestOf, findAsset, readHead, readRemoteLibrary } = await import('@bindery/sdk/reading');
  const head = await readHead(client, library);
  const { manifest } = await readRemoteLibrary(client, library, head, { cacheFolder });
  const asset = findAsset(manifest, id);
  if (asset === undefined) throw new AssetNotFoundError(formatLibraryAddress(library), [id]);
  const { thumbnail } = asset;
  return {
    revision: head.row.revision,
    id: asset.id,
    title: asset.title ?? null,
    description: asset.description ?? null,
    category: asset.category ?? null,
    tags: asset.tags ?? [],
    kind: asset.kind ?? 'file',
    format: asset.format ?? null,
    license: effectiveLicense(asset, manifest.library),
    attribution: asset.attribution ?? null,
    upstream: asset.upstream ?? null,
    entry: asset.entry ?? null,
    entryPoints: Object.fromEntries(
      Object.entries(asset.entryPoints ?? {}).map(([name, { kind = 'scene', file }]) => [
        name,
        { kind, file },
      ]),
    ),
    meta: asset.meta ?? {},
    digest: digestOf(asset.files),
    fileCount: asset.files.length,
    totalBytes: asset.files.reduce((sum, { size }) => sum + size, 0),
    files: asset.files.slice(offset, offset + limit),
    async picture(maxBytes) {
      if (thumbnail === undefined) return null;
      return readVerified(client, await presign(client, library, thumbnail), maxBytes);
    },
  };
}

async function readFile(
  client: Client,
  library: RevisionName,
  path: string,
  maxBytes: number,
): Promise<VerifiedFile> {
  const file = await presign(client, library, path);
  const { size, sha256 } = file;
  return { path: file.path, size, sha256, bytes: await readVerified(client, file, maxBytes) };
}

async function presign(client: Client, library: RevisionName, path: string): Promise<PresignedFile> {
  const { files } = await client.call(routes.libraries.presignFiles, {
    params: libraryParams(library),
    query: readQuery(library),
    body: { paths: [path] },
  });
  const [file] = files;
  if (file === undefined) throw new Error(`the service answered nothing for ${path}`);
  return file;
}

/** A picture that cannot be read is left out: the text of the hit describes the asset too. */
function pictureAt(client: Client, url: string | null) {
  return async (maxBytes: number) =>
    url === null ? null : client.download({ url }, maxBytes).catch(() => null);
}
