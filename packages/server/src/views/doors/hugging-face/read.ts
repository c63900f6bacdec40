import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireAccount, type Viewer } from '../../../access/viewer.ts';
import { loadAccount } from '../../../accounts/accounts.ts';
import type { Context } from '../../../context.ts';
import { doorBodies } from '../../../doors/bodies.ts';
import { commitOf, type DoorRevision, loadLibraryAtDoor, openAtDoor } from '../../../doors/revision.ts';
import { searchLibraries } from '../../../doors/search.ts';
import {
  allFiles,
  type DoorEntry,
  findAtDoor,
  findFileAtDoor,
  findFolderAtDoor,
  listFolder,
  type TreePage,
  walkFolder,
} from '../../../doors/tree.ts';
import { findUpstream } from '../../../doors/upstream.ts';
import { invalidToken, notFound } from '../../../errors.ts';
import { readBodyAs } from '../../../http/body.ts';
import { namespacesOf } from '../../../namespaces/namespaces.ts';
import { releasedRows } from '../../../objects/references.ts';
import { sendItems, sendList } from '../../rest/send-list.ts';
import { addressOf, pathOf, segmentsOf } from '../address.ts';
import { sendFile, setRevisionHeaders } from '../send-file.ts';
import { type Exchange, viewerAtDoor } from '../viewer.ts';
import {
  describeEntry,
  describeRepository,
  describeSibling,
  type LastCommit,
  type RepositoryKind,
} from './describe.ts';
import { sendUpstreamFile, sendUpstreamInfo, sendUpstreamPaths, upstreamEntries } from './upstream.ts';

/** The branch that is a library's current revision. */
export const MAIN = 'main';

/** Its names in addresses. */
const CURRENT = [MAIN, 'HEAD'];

/** A request about one repository, at a revision if the route has one. */
export type RepositoryRequest = FastifyRequest<{
  Params: { namespace: string; name: string; revision?: string };
  Querystring: Record<string, unknown>;
}>;

/** What Hugging Face's clients read below `/hf`: who asks, lists, and the revisions of libraries with their files. */
export function readViews(app: FastifyInstance, context: Context): void {
  app.get('/hf/api/whoami-v2', async (request) => whoAmI(context, await viewerAtDoor(context, request)));

  for (const kind of ['models', 'datasets'] as const) {
    const repository = `/hf/api/${kind}/:namespace/:name`;
    app.get(`/hf/api/${kind}`, (request: RepositoryRequest, reply) =>
      sendRepositories({ context, request, reply }, kind),
    );
    for (const path of [repository, `${repository}/revision/:revision`])
      app.get(path, (request: RepositoryRequest, reply) => sendInfo({ context, request, reply }, kind));
    for (const path of [`${repository}/tree/:revision`, `${repository}/tree/:revision/*`])
      app.get(path, (request: RepositoryRequest, reply) => sendTree({ context, request, reply }, kind));
    app.post(`${repository}/paths-info/:revision`, (request: RepositoryRequest, reply) =>
      sendPaths({ context, request, reply }, kind),
    );
    app.get(`${repository}/refs`, (request: RepositoryRequest) => readReferences(context, kind, request));
  }

  for (const prefix of ['/hf', '/hf/models', '/hf/datasets']) {
    // A compressed file would have no length by which clients see that it was cut off.
    const exact = { compress: false } as const;
    app.get(
      `${prefix}/:namespace/:name/resolve/:revision/*`,
      exact,
      async (request: RepositoryRequest, reply) => {
        const path = restOfPath(request, `${prefix}/n/n/resolve/r`);
        const copy = await findCopy(context, prefix === '/hf/datasets' ? 'datasets' : 'models', request);
        if (copy) return sendUpstreamFile({ context, request, reply }, copy, path);
        const opened = await openRepository(context, request);
        reply.header('x-repo-commit', opened.commit);
        const file = findFileAtDoor(opened.index, path);
        setRevisionHeaders({ context, request, reply }, opened);
        reply.headers({ 'x-linked-size': file.size, 'x-linked-etag': `"${file.sha256}"` });
        // Clients in JavaScript learn sizes from this header alone, also that of an empty file, which has no range.
        if (file.size === 0) reply.header('content-range', 'bytes */0');
        return sendFile({ context, request, reply }, opened, file);
      },
    );
  }
}

/** Returns the repository of an owner who is not here, if another server has it. */
async function findCopy(context: Context, kind: RepositoryKind, request: RepositoryRequest) {
  if (context.upstream === null) return null;
  const { namespace: owner, name, revision = MAIN } = request.params;
  const asked = { kind, owner, name, revision: CURRENT.includes(revision) ? MAIN : revision };
  return findUpstream(context, await viewerAtDoor(context, request), asked);
}

async function openRepository(context: Context, request: RepositoryRequest): Promise<DoorRevision> {
  const viewer = await viewerAtDoor(context, request);
  const { namespace, name, revision = MAIN } = request.params;
  return openAtDoor(
    context,
    viewer,
    addressOf(namespace, name, CURRENT.includes(revision) ? undefined : revision),
  );
}

/** Returns the path of a file behind a prefix of as many segments. Slashes in it may be encoded. */
function restOfPath(request: FastifyRequest, prefix: string): string | null {
  const rest = segmentsOf(request.raw.url ?? '').slice(prefix.split('/').length);
  return pathOf(rest.flatMap((segment) => (segment === null ? [null] : segment.split('/'))));
}

async function whoAmI({ db }: Context, viewer: Viewer) {
  const account = requireAccount(viewer);
  const row = await loadAccount(db, account.accountId);
  if (!row) throw invalidToken();
  const teams = (await namespacesOf(db, account)).filter(({ slug }) => slug !== row.user_name);
  return {
    type: 'user',
    id: row.id,
    name: row.user_name,
    fullname: row.display_name,
    email: row.email,
    isPro: false,
    orgs: teams.map(({ slug, displayName }) => ({ type: 'org', name: slug, fullname: displayName })),
    auth: { type: 'access_token', accessToken: { displayName: row.user_name, role: account.scope } },
  };
}

/** The most entries of a page. */
const PAGE_SIZE = 1_000;
const LIST_SIZE = 100;

async function sendRepositories(
  { context, request, reply }: Exchange<RepositoryRequest>,
  kind: RepositoryKind,
): Promise<FastifyReply> {
  const viewer = await viewerAtDoor(context, request);
  const { author, search, limit } = request.query;
  const offset = numberIn(request.query.cursor, 0);
  const page = {
    namespace: typeof author === 'string' ? author : undefined,
    text: typeof search === 'string' ? search : undefined,
    offset,
    limit: Math.min(numberIn(limit, LIST_SIZE), LIST_SIZE),
  };
  const found = await searchLibraries(context, viewer, page);
  if (found.length === page.limit) linkNext(context, request, reply, `/hf/api/${kind}`, offset + page.limit);
  const commit = (row: DoorRevision['row']) => commitOf(row, row.manifest_sha256);
  return reply.send(found.map(({ row, namespace }) => describeRepository(kind, namespace, row, commit(row))));
}

async function sendInfo(
  { context, request, reply }: Exchange<RepositoryRequest>,
  kind: RepositoryKind,
): Promise<FastifyReply> {
  const withBlobs = isTrue(request.query.blobs);
  const copy = await findCopy(context, kind, request);
  if (copy) return sendUpstreamInfo(reply, copy, withBlobs);
  const { index, namespace, row, commit } = await openRepository(context, request);
  const { expand } = request.query;
  if (expand !== undefined && ![expand].flat().includes('siblings'))
    return reply.send(describeRepository(kind, namespace, row, commit));
  const siblings = describeSiblings();
  return sendList(
    reply,
    describeRepository(kind, namespace, row, commit),
    'siblings',
    index.files.count,
    siblings,
  );

  async function* describeSiblings() {
    for await (const file of allFiles(index)) yield describeSibling(file, withBlobs);
  }
}

/** Sends a page of a tree. The link to the next one names the commit, so that all pages are of one revision. */
async function sendTree(
  { context, request, reply }: Exchange<RepositoryRequest>,
  kind: RepositoryKind,
): Promise<FastifyReply> {
  const { recursive, expand, cursor } = request.query;
  const path = restOfPath(request, '/hf/api/k/n/n/tree/r');
  const copy = await findCopy(context, kind, request);
  if (copy) {
    const from = numberIn(cursor, 0);
    const all = await upstreamEntries(copy, path, isTrue(recursive));
    const next = from + PAGE_SIZE;
    const pages = `/hf/api/${kind}/${copy.owner}/${copy.name}/tree/${copy.commit}/${encodeURIComponent(path ?? '')}`;
    if (next < all.length) linkNext(context, request, reply, pages, next);
    return sendItems(reply, Math.min(PAGE_SIZE, all.length), all.slice(from, next));
  }
  const opened = await openRepository(context, request);
  const folder = findFolderAtDoor(opened.index, path);
  const page = isTrue(recursive)
    ? await walkFolder(opened.index, folder, { from: numberIn(cursor, 0), limit: PAGE_SIZE })
    : await pageOfFolder(opened, folder, numberIn(cursor, 0));
  const tree = `/hf/api/${kind}/${opened.namespace}/${opened.row.name}/tree/${opened.commit}/${encodeURIComponent(folder)}`;
  if (page.next !== null) linkNext(context, request, reply, tree, page.next);
  const lastCommit = isTrue(expand) ? lastCommitOf(opened) : null;
  const { entries } = page;
  const described = entries.values().map((entry) => describeEntry(entry, opened.commit, lastCommit));
  return sendItems(reply, entries.length, described);
}

async function pageOfFolder({ index }: DoorRevision, folder: string, from: number): Promise<TreePage> {
  const entries: DoorEntry[] = [];
  let at = 0;
  for await (const entry of listFolder(index, folder)) {
    if (entries.length === PAGE_SIZE) return { entries, next: at };
    if (at++ >= from) entries.push(entry);
  }
  return { entries, next: null };
}

/** Sends what is at those of the requested paths at which anything is. */
async function sendPaths(
  { context, request, reply }: Exchange<RepositoryRequest>,
  kind: RepositoryKind,
): Promise<FastifyReply> {
  const copy = await findCopy(context, kind, request);
  const opened = copy ? null : await openRepository(context, request);
  const isJson = /^application\/json/i.test(request.headers['content-type'] ?? '');
  const format = isJson ? 'json' : 'form';
  const { paths, expand } = await readBodyAs(context.bodies, doorBodies.pathsInfo, request, format);
  if (copy) return sendUpstreamPaths(reply, copy, paths);
  if (opened === null) throw notFound();
  const lastCommit = expand ? lastCommitOf(opened) : null;
  return sendItems(reply, paths.length, entries(opened));

  function* entries(opened: DoorRevision) {
    for (const path of paths) {
      const canonical = pathOf(path.split('/'));
      const entry = canonical === null ? null : entryAt(opened, canonical);
      if (entry !== null) yield describeEntry(entry, opened.commit, lastCommit);
    }
  }
}

function entryAt({ index }: DoorRevision, path: string): DoorEntry | null {
  try {
    return findAtDoor(index, path);
  } catch {
    return null;
  }
}

async function readReferences(context: Context, kind: RepositoryKind, request: RepositoryRequest) {
  const copy = await findCopy(context, kind, request);
  if (copy) {
    const main = { name: MAIN, ref: `refs/heads/${MAIN}`, targetCommit: copy.commit };
    return { branches: [main], converts: [], pullRequests: [], tags: [] };
  }
  const viewer = await viewerAtDoor(context, request);
  const { namespace, name } = request.params;
  const { row } = await loadLibraryAtDoor(context, viewer, addressOf(namespace, name));
  const reference = (label: string, ref: string, { manifest_sha256 }: { manifest_sha256: string }) => ({
    name: label,
    ref,
    targetCommit: commitOf(row, manifest_sha256),
  });
  const releases = await releasedRows(context.db, row.store_id);
  return {
    branches: [reference(MAIN, `refs/heads/${MAIN}`, row)],
    converts: [],
    pullRequests: [],
    tags: releases.map((release) =>
      reference(release.release ?? '', `refs/tags/${release.release}`, release),
    ),
  };
}

function lastCommitOf({ commit, row }: DoorRevision): LastCommit {
  return { id: commit, title: `Revision ${row.revision}`, date: new Date(row.updated_at).toISOString() };
}

function linkNext(
  { publicUrl }: Context,
  request: RepositoryRequest,
  reply: FastifyReply,
  path: string,
  next: number,
) {
  const query = new URLSearchParams(request.query as Record<string, string>);
  query.set('cursor', String(next));
  reply.header('link', `<${publicUrl()}${path}?${query}>; rel="next"`);
}

function isTrue(value: unknown): boolean {
  return value === true || /^(true|1)$/i.test(String(value));
}

function numberIn(value: unknown, otherwise: number): number {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : otherwise;
}
