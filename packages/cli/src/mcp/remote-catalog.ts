import { hash } from 'node:crypto';
import type { BindrChoicePage, NoteNodes, PresignedFile } from '@bindery/contract';
import { MCP_APP, pagePath, routes } from '@bindery/contract/wire';
import type {
  AssetCard,
  Catalog,
  FoundAssets,
  NumberedName,
  RevisionName,
  SearchRequest,
  SimilarFound,
  SimilarRequest,
  VerifiedFile,
  ViewerApp,
} from '@bindery/mcp';
import { type Client, IntegrityError, libraryParams, readQuery } from '@bindery/sdk';
import type { DescribedSubject } from '@bindery/sdk/reading';
import { withToolErrors } from './with-tool-errors.ts';

/** The contents of a service, read through its HTTP API with the user's token. */
export function remoteCatalog(client: Client, cacheFolder: string): Catalog {
  return withToolErrors<Catalog>({
    search: (request) => search(client, request),
    findSimilar: (library, asset, request) => findSimilar(client, { ...library, asset }, request),
    listLibraries: async (namespace, limit) => listLibraries(client, namespace, limit),
    listReleases: (library, page) =>
      client.call(routes.releases.listReleases, { params: libraryParams(library), query: page }),
    readChanges: (from, to) => readChanges(client, cacheFolder, from, to),
    readAsset: (library, assetId, page) => readAsset(client, cacheFolder, library, assetId, page),
    readFile: (library, path, maxBytes) => readFile(client, library, path, maxBytes),
    readProfile: async () => (client.authenticated ? client.call(routes.login.getProfile, {}) : null),
    listProjects: async (namespace, query) =>
      client.call(routes.projects.listProjects, { params: { namespace }, query }),
    listNotes: async (namespace, query) =>
      client.call(routes.notes.listNotes, { params: { namespace }, query }),
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
    certifyAsset: (library, assetId) =>
      client.call(routes.libraries.certifyAsset, {
        params: { ...libraryParams(library), assetId },
        query: readQuery(library),
      }),
    createRelease: (library, body) =>
      client.call(routes.releases.createRelease, { params: libraryParams(library), body }),
    createNote: (namespace, body) => client.call(routes.notes.createNote, { params: { namespace }, body }),
  });
}

/** The viewer of the service. It is read when a host asks for it. */
export function remoteViewer(client: Client): ViewerApp {
  return {
    origin: new URL(client.baseUrl).origin,
    ...withToolErrors({
      readDocument: async () =>
        (await client.download({ url: client.resolve(MCP_APP) }, MAX_DOCUMENT)).toString('utf8'),
    }),
  };
}

/** In bytes. */
const MAX_DOCUMENT = 4 * 1_024 * 1_024;

async function search(client: Client, { query, facets, ...options }: SearchRequest): Promise<FoundAssets> {
  const { searchAssets } = await import('@bindery/sdk/reading');
  const found = await searchAssets(client, query, { ...options, facets: facets ? 'true' : 'false' });
  const { semantic, total, didYouMean, understood, emptied, skipped, partial, hits } = found;
  return {
    semantic,
    total,
    facets: found.facets ?? null,
    didYouMean: didYouMean ?? null,
    understood: understood ?? [],
    emptied: emptied ?? [],
    skipped: skipped.map(({ library }) => library),
    partial: partial ?? null,
    found: hits.map((hit) => ({ hit, picture: pictureAt(client, hit.thumbnailUrl) })),
  };
}

/** Finds what is similar to an asset, or to what was described. */
export async function findSimilar(
  client: Client,
  like: (RevisionName & { asset: string }) | DescribedSubject,
  options: SimilarRequest,
): Promise<SimilarFound> {
  const { findSimilarAssets } = await import('@bindery/sdk/reading');
  const { comparedBy, total, skipped, partial, hits } = await findSimilarAssets(client, like, options);
  return {
    comparedBy,
    total,
    skipped: skipped.map(({ library }) => library),
    partial: partial ?? null,
    found: hits.map((hit) => ({ hit, picture: pictureAt(client, hit.thumbnailUrl) })),
  };
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
  const { assetInfo, readCertificates, readHead, readRemoteLibrary } = await import('@bindery/sdk/reading');
  const head = await readHead(client, library);
  const { manifest } = await readRemoteLibrary(client, library, head, { cacheFolder });
  const { library: _, thumbnail, entryPoints, files, ...card } = assetInfo(library, head, manifest, id);
  return {
    ...card,
    entryPoints: Object.fromEntries(
      Object.entries(entryPoints).map(([name, { kind = 'scene', file }]) => [name, { kind, file }]),
    ),
    page: client.resolve(pagePath(library, id)),
    certificates: await readCertificates(client, library, card),
    files: files.slice(offset, offset + limit),
    async picture(maxBytes) {
      if (thumbnail === null) return null;
      return readVerified(client, await presign(client, library, thumbnail), maxBytes);
    },
  };
}

async function readChanges(client: Client, cacheFolder: string, earlier: NumberedName, later: NumberedName) {
  const { diffManifests } = await import('@bindery/sdk/diff');
  const { readVersions } = await import('@bindery/sdk/reading');
  const { from, to, shared } = await readVersions(client, earlier, later, { cacheFolder });
  const { assets, changes } = diffManifests(from.manifest, to.manifest, shared);
  const changed = changes.map(({ id, facts, files }) => {
    const stated = facts.map(({ fact }) => fact.replace(/\..*/s, ''));
    const hasOtherFiles = Object.values(files).some((paths) => paths.length > 0);
    return { id, facts: [...new Set([...stated, ...(hasOtherFiles ? ['files'] : [])])].sort() };
  });
  return { from: from.revision, to: to.revision, added: assets.added, removed: assets.removed, changed };
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

/** Downloads and verifies a file; returns null if it is larger than `maxBytes`. Throws `IntegrityError`. */
export async function readVerified(
  client: Client,
  { path, size, sha256, url }: PresignedFile,
  maxBytes: number,
): Promise<Buffer | null> {
  if (size > maxBytes) return null;
  const bytes = await client.download({ url }, size);
  if (hash('sha256', bytes) === sha256) return bytes;
  throw new IntegrityError(`${path} does not match its hash.`);
}
