import { createHash } from 'node:crypto';
import { basename } from 'node:path/posix';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { findArchive, findConverted } from '../../doors/archive.ts';
import { type DoorRevision, openAtDoor } from '../../doors/revision.ts';
import { type DoorEntry, findAtDoor, listFolder } from '../../doors/tree.ts';
import { sendIfNotModified } from '../../http/entity-tags.ts';
import { escapeMarkup } from '../../markup.ts';
import { sendList } from '../rest/send-list.ts';
import { addressOf, pathOf, segmentsOf } from './address.ts';
import { sendAssetArchive } from './send-archive.ts';
import { sendConverted } from './send-converted.ts';
import { sendFile, setRevisionHeaders } from './send-file.ts';
import { askForPassword, type Exchange, viewerAtDoor } from './viewer.ts';

/**
 * Serves every file of a library at a permanent address, `/raw/<namespace>/<library>[@<release or commit>]/<path>`, and
 * an index of every folder.
 */
export async function rawViews(app: FastifyInstance, context: Context): Promise<void> {
  await app.register(async (apart) => {
    askForPassword(apart);
    apart.get('/raw/:namespace/:library', (request, reply) => answer({ context, request, reply }));
    apart.get('/raw/:namespace/:library/*', (request, reply) => answer({ context, request, reply }));
  });
}

async function answer(exchange: Exchange): Promise<FastifyReply> {
  const { context, request, reply } = exchange;
  const [, , namespace, library = '', ...segments] = segmentsOf(request.raw.url ?? '');
  const [name, at] = library?.split(/@(.*)/s) ?? [];
  const viewer = await viewerAtDoor(context, request);
  const revision = await openAtDoor(context, viewer, addressOf(namespace, name, at));
  const path = pathOf(segments);
  if ((request.query as { as?: unknown }).as !== undefined)
    return sendConverted(exchange, viewer, revision, path ?? '');
  const converted = findConverted(revision, path);
  if (converted !== null) {
    const id = revision.index.assetId(converted.number);
    return sendConverted(exchange, viewer, revision, id, { as: converted.as });
  }
  const archive = findArchive(revision, path);
  if (archive !== null) return sendAssetArchive(exchange, revision, archive);
  const found = findAtDoor(revision.index, path);
  setRevisionHeaders(exchange, revision);
  if (found.kind === 'file') {
    if ((request.query as { turntable?: unknown }).turntable !== undefined) {
      const picture = { storeId: revision.row.store_id, sha256: found.file.sha256 };
      const turntable = await context.smallThumbnails.readTurntable(picture);
      return reply.headers(PICTURE).type('image/webp').send(turntable);
    }
    if (request.method === 'GET' && request.headers.range === undefined)
      context.useCounter.filesTaken(revision.row.store_id, revision.index, [found.file.path]);
    return sendFile(exchange, revision, found.file);
  }
  const isIndex = request.raw.url?.split('?', 1)[0]?.endsWith('/');
  return isIndex ? sendIndex(exchange, revision, found) : redirectToIndex(exchange);
}

/** A picture is only displayed and does nothing by itself. */
const PICTURE = { 'content-security-policy': "sandbox; default-src 'none'" };

async function sendIndex(
  { request, reply }: Exchange,
  { namespace, row, index, commit }: DoorRevision,
  { path }: Extract<DoorEntry, { kind: 'folder' }>,
): Promise<FastifyReply> {
  if (sendIfNotModified(request, reply, `W/"${commit}"`)) return reply;
  reply.header('vary', 'accept, authorization');
  const library = `${namespace}/${row.name}`;
  const entries = listFolder(index, path);
  if (wantsJson(request)) {
    const head = { library, release: row.release ?? null, commit, path };
    return sendList(reply, head, 'entries', Number.POSITIVE_INFINITY, describeEntries(entries));
  }
  const title = `${library}${row.release === undefined ? '' : `@${row.release}`}/${path}`;
  reply.header('content-security-policy', INDEX_POLICY).type('text/html; charset=utf-8');
  return reply.send(indexPage(title, entries, path === '', queryOf(request)));
}

async function* describeEntries(entries: AsyncIterable<DoorEntry>) {
  for await (const entry of entries) {
    if (entry.kind === 'folder') yield { name: basename(entry.path), type: 'folder' };
    else {
      const { path, size, sha256 } = entry.file;
      yield { name: basename(path), type: 'file', size, sha256 };
    }
  }
}

function wantsJson({ headers }: FastifyRequest): boolean {
  return /^application\/json\b/i.test(headers.accept ?? '');
}

/** The folder's index has a slash at its end, so that relative links lead into the folder. */
function redirectToIndex({ request, reply }: Exchange): FastifyReply {
  const [path = ''] = (request.raw.url ?? '').split('?', 1);
  const last = path.slice(path.lastIndexOf('/') + 1);
  return reply.redirect(`./${last}/${queryOf(request)}`, 302);
}

/** The query that a link must have so that whoever follows it has the same access. */
function queryOf(request: FastifyRequest): string {
  const { share } = request.query as { share?: unknown };
  return typeof share === 'string' ? `?share=${encodeURIComponent(share)}` : '';
}

const STYLE = `:root{color-scheme:light dark;font:15px/1.6 system-ui,sans-serif}body{margin:2rem auto;max-width:60rem;padding:0 1rem}
h1{font-size:1.2rem;overflow-wrap:anywhere}table{border-collapse:collapse;width:100%}td{padding:.15rem 0;overflow-wrap:anywhere}
td+td{text-align:right;white-space:nowrap;padding-left:1rem;font-variant-numeric:tabular-nums}`;

/** Nothing but this style sheet applies to the page. */
const INDEX_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/**
 * The index of a folder for people, and for clients that follow its links, which are relative. `query`, which may be
 * empty, is appended to every link.
 */
function indexPage(
  title: string,
  entries: AsyncIterable<DoorEntry>,
  isRoot: boolean,
  query: string,
): Readable {
  return Readable.from(write(title, entries, isRoot, query), { objectMode: false });
}

async function* write(title: string, entries: AsyncIterable<DoorEntry>, isRoot: boolean, query: string) {
  const heading = escapeMarkup(`Index of ${title}`);
  yield `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${heading}</title><style>${STYLE}</style></head><body><h1>${heading}</h1><table>`;
  if (!isRoot) yield row('../', '', query);
  for await (const entry of entries) {
    if (entry.kind === 'folder') yield row(`${basename(entry.path)}/`, '', query);
    else yield row(basename(entry.file.path), `${entry.file.size.toLocaleString('en-US')} bytes`, query);
  }
  yield '</table></body></html>\n';
}

/** The link begins with "./", because a name may look like a scheme. */
function row(name: string, size: string, query: string): string {
  const href = `./${encodeURIComponent(name.replace(/\/$/, ''))}${name.endsWith('/') ? '/' : ''}${query}`;
  return `<tr><td><a href="${escapeMarkup(href)}">${escapeMarkup(name)}</a></td><td>${size}</td></tr>\n`;
}
