import { type PageQuery, pagePath } from '@bindery/contract';
import {
  type AssetCard,
  type Catalog,
  type FoundAssets,
  relayedError,
  type SearchRequest,
  type SimilarFound,
  type SimilarRequest,
} from '@bindery/mcp';
import {
  type LibraryAddress,
  loadLibrary,
  loadLibraryForWrite,
  type RevisionAddress,
} from '../../access/libraries.ts';
import { loadNamespace } from '../../access/namespaces.ts';
import { loadNoteRow, type NoteAddress } from '../../access/notes.ts';
import type { Viewer } from '../../access/viewer.ts';
import { bindrChoices } from '../../bindrs/choices.ts';
import type { Context } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import { certify, inspectAsset, loadAsset, readCertificates } from '../../libraries/read/assets.ts';
import { loadCompared, readChanges } from '../../libraries/read/changes.ts';
import { readFileBytes, readThumbnail } from '../../libraries/read/files.ts';
import { describeSummary } from '../../libraries/read/library.ts';
import { type LibraryList, listAllLibraries, listLibraries } from '../../libraries/read/lists.ts';
import { createRelease } from '../../libraries/releases/change.ts';
import { listReleases } from '../../libraries/releases/read.ts';
import { readProfile } from '../../login/service-tokens.ts';
import { noteNodes } from '../../notes/nodes.ts';
import { createNote, listNotes } from '../../notes/notes.ts';
import { describeProjectEntry, projectCatalog } from '../../projects/projects.ts';
import { searchEverything, searchLibraries, searchLibrary } from '../../search/search.ts';
import { findSimilar } from '../../search/similar/find-similar.ts';

/** What the service holds, as far as this viewer may read and change it. */
export function serviceCatalog(context: Context, viewer: Viewer): Catalog {
  return {
    search: (request) => withToolErrors(search(context, viewer, request)),
    findSimilar: (library, assetId, request) =>
      withToolErrors(similar(context, viewer, { ...library, assetId }, request)),
    listLibraries: (namespace, limit) => withToolErrors(list(context, viewer, namespace, limit)),
    listReleases: (library, page) => withToolErrors(releasesOf(context, viewer, library, page)),
    readChanges: (from, to) =>
      withToolErrors(loadCompared(context, viewer, from, to).then((revisions) => readChanges(revisions))),
    readAsset: (library, assetId, page) =>
      withToolErrors(readAsset(context, viewer, { ...library, assetId }, page)),
    readFile: (library, path, maxBytes) =>
      withToolErrors(readFile(context, viewer, { ...library, path }, maxBytes)),
    readProfile: () => withToolErrors(profileOf(context, viewer)),
    listProjects: (namespace, page) => withToolErrors(projectsOf(context, viewer, namespace, page)),
    listNotes: (namespace, page) => withToolErrors(notesOf(context, viewer, namespace, page)),
    listNoteNodes: (namespace, noteId) => withToolErrors(nodesOf(context, viewer, { namespace, noteId })),
    listBindrs: (project, { search = '', first, after }) =>
      withToolErrors(bindrChoices(context, viewer, project, () => ({ search, first, after }))),
    certifyAsset: (library, assetId) =>
      withToolErrors(certifyAsset(context, viewer, { ...library, assetId })),
    createRelease: (library, release) => withToolErrors(createRelease(context, viewer, library, release)),
    createNote: (namespace, note) => withToolErrors(createNote(context, viewer, { namespace }, note)),
  };
}

/** Turns failures that use cases report on purpose into errors for the agent; anything else is a defect. */
async function withToolErrors<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ServiceError) throw relayedError(error.code, error);
    throw error;
  }
}

async function search(context: Context, viewer: Viewer, request: SearchRequest): Promise<FoundAssets> {
  const found = await findAssets(context, viewer, request);
  const { semantic, total, facets, didYouMean, understood, emptied, skipped, partial, hits } = found;
  const release = request.libraries?.[0]?.release;
  return {
    semantic,
    total,
    facets: facets ?? null,
    didYouMean: didYouMean ?? null,
    understood: understood ?? [],
    emptied: emptied ?? [],
    skipped: skipped.map(({ library }) => library),
    partial: partial ?? null,
    found: hits.map((hit) => {
      const { namespace, library: name, assetId } = hit;
      return { hit, picture: pictureOf(context, viewer, { namespace, name, release, assetId }) };
    }),
  };
}

async function findAssets(
  context: Context,
  viewer: Viewer,
  { libraries, query: q, limit, offset, asWords = [], facets, ...filters }: SearchRequest,
) {
  const order = { rank: 'relevance', filters, asWords, sort: 'relevance', facets } as const;
  const request = { q, limit, offset, explain: false, order };
  if (libraries === null) return searchEverything(context, viewer, request);
  const [only] = libraries;
  if (only?.release !== undefined) {
    const library = await loadLibrary(context.db, viewer, only);
    const { hits, ...one } = await searchLibrary(context, library, request);
    const { namespace, name } = only;
    return { ...one, skipped: [], hits: hits.map((hit) => ({ namespace, library: name, ...hit })) };
  }
  const names = libraries.map(({ namespace, name }) => `${namespace}/${name}`).join(',');
  return searchLibraries(context, viewer, names, request);
}

async function similar(
  context: Context,
  viewer: Viewer,
  address: RevisionAddress & { assetId: string },
  request: SimilarRequest,
): Promise<SimilarFound> {
  const opened = await loadAsset(context, viewer, address);
  const { comparedBy, total, skipped, partial, hits } = await findSimilar(context, viewer, opened, {
    ...request,
    srcset: 'false',
  });
  return {
    comparedBy,
    total,
    skipped: skipped.map(({ library }) => library),
    partial: partial ?? null,
    found: hits.map((hit) => {
      const { namespace, library: name, assetId } = hit;
      return { hit, picture: pictureOf(context, viewer, { namespace, name, assetId }) };
    }),
  };
}

async function list(context: Context, viewer: Viewer, namespace: string | null, limit: number) {
  const { libraries }: LibraryList =
    namespace === null
      ? await listAllLibraries(context, viewer, { limit })
      : await listLibraries(context, viewer, await loadNamespace(context.db, viewer, namespace), {
          deleted: false,
        });
  const described = [];
  for await (const library of libraries) {
    if (described.push(describeSummary(context, library)) >= limit) break;
  }
  return described;
}

async function profileOf(context: Context, viewer: Viewer) {
  return viewer.kind === 'account' ? readProfile(context, viewer) : null;
}

async function projectsOf(context: Context, viewer: Viewer, namespace: string, page: PageQuery) {
  const target = await loadNamespace(context.db, viewer, namespace);
  const catalog = await projectCatalog(context, viewer, target, page);
  return { ...catalog, projects: catalog.projects.map(describeProjectEntry) };
}

async function notesOf(
  context: Context,
  viewer: Viewer,
  namespace: string,
  page: PageQuery & { project?: string | undefined },
) {
  return listNotes(context, viewer, await loadNamespace(context.db, viewer, namespace), page);
}

async function nodesOf(context: Context, viewer: Viewer, note: NoteAddress) {
  return noteNodes(context, viewer, await loadNoteRow(context.db, viewer, note));
}

async function releasesOf(
  context: Context,
  viewer: Viewer,
  library: LibraryAddress,
  page: { page: number; pageSize: number },
) {
  return listReleases(context, await loadLibrary(context.db, viewer, library), page);
}

async function readAsset(
  context: Context,
  viewer: Viewer,
  address: RevisionAddress & { assetId: string },
  page: { offset: number; limit: number },
): Promise<AssetCard> {
  const opened = await loadAsset(context, viewer, address);
  const { revision, card, remainder, files } = inspectAsset(opened, page);
  const { assetId: id, files: all, ...shown } = card;
  return {
    ...shown,
    ...remainder,
    id,
    revision,
    page: context.publicUrl() + pagePath(address, id),
    fileCount: all.count,
    totalBytes: all.bytes,
    certificates: await readCertificates(context, opened),
    files,
    picture: pictureOf(context, viewer, address),
  };
}

async function certifyAsset(
  context: Context,
  viewer: Viewer,
  address: RevisionAddress & { assetId: string },
) {
  await loadLibraryForWrite(context.db, viewer, address);
  return certify(context, viewer, await loadAsset(context, viewer, address));
}

async function readFile(
  context: Context,
  viewer: Viewer,
  address: RevisionAddress & { path: string },
  maxBytes: number,
) {
  const { file, bytes } = await readFileBytes(context, viewer, address, maxBytes);
  return { path: file.path, size: file.size, sha256: file.sha256, bytes };
}

/** Returns null for a picture that cannot be read: the agent still gets the text about the asset. */
function pictureOf(context: Context, viewer: Viewer, address: RevisionAddress & { assetId: string }) {
  return (maxBytes: number) =>
    readThumbnail(context, viewer, address, maxBytes).catch((error: unknown) => {
      if (error instanceof ServiceError) return null;
      throw error;
    });
}
