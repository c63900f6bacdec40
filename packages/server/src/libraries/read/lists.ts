import { sql } from 'kysely';
import { type LibraryRow, readableLibraries } from '../../access/libraries.ts';
import { membershipsOf, NO_MEMBERSHIPS, type VisibleNamespace } from '../../access/namespaces.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { Context, DatabaseContext } from '../../context.ts';

/** Rows of libraries are wide, so they are read a few at a time. */
const ROWS_AT_ONCE = 20;

/** A library of a list, with the slug of its namespace. */
export interface ListedLibrary {
  row: LibraryRow;
  namespace: string;
  isFavourite: boolean;
  downloads: number;
  usedBy: number;
}

/** The columns that distinguish one state of a library from another. */
const STATE = ['id', 'revision', 'changes', 'state', 'cover_sha256'] as const;
export type LibraryState = Pick<LibraryRow, (typeof STATE)[number]> & Personal;

/** What is not of the library's row: null where there is nothing. */
interface Personal {
  downloads: number | null;
  uses: number | null;
  favourite_since: number | null;
}

export interface LibraryList {
  /** The state of every library, in the order of the list. */
  states: LibraryState[];
  /** The libraries, read lazily; those deleted in the meantime are left out. */
  libraries: AsyncIterable<ListedLibrary>;
}

/** Which libraries are listed: of those that the viewer may read all, those of their namespaces, or their favourites. */
export type LibrarySet = 'all' | 'mine' | 'favourites';
export type LibraryOrder = 'updated' | 'name' | 'downloads' | 'used';

/** Part of the libraries that the viewer may read, and how many there are. */
export async function listAllLibraries(
  { db }: DatabaseContext,
  viewer: Viewer,
  {
    limit,
    offset = 0,
    of = 'all',
    sort = 'updated',
  }: { limit: number; offset?: number; of?: LibrarySet; sort?: LibraryOrder },
): Promise<LibraryList & { total: number }> {
  const memberships = await membershipsOf(db, viewer);
  const readable = inSet(selectLibraries(db, viewer).where(readableLibraries(memberships)), of, [
    ...memberships.keys(),
  ]);
  const { total } = await readable
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const list = await readList(readable, inOrder(readable, sort).limit(limit).offset(offset));
  return { ...list, total: Number(total) };
}

function inSet(libraries: Libraries, of: LibrarySet, own: string[]): Libraries {
  if (of === 'favourites') return libraries.where('favourites.account_id', 'is not', null);
  if (of === 'all') return libraries;
  return own.length > 0
    ? libraries.where('libraries.namespace_id', 'in', own)
    : libraries.where(sql<boolean>`1 = 0`);
}

function inOrder(libraries: Libraries, sort: LibraryOrder): Libraries {
  const byTime = (ordered: Libraries) => ordered.orderBy('libraries.updated_at', 'desc');
  switch (sort) {
    case 'updated':
      return byTime(libraries);
    case 'name':
      return libraries.orderBy('namespaces.slug').orderBy('libraries.name');
    case 'downloads':
      return byTime(libraries.orderBy(sql`coalesce(use_counts.downloads, 0)`, 'desc'));
    case 'used':
      return byTime(libraries.orderBy(sql`coalesce(use_counts.uses, 0)`, 'desc'));
  }
}

interface NamespaceLibraries extends LibraryList {
  viewerIsMember: boolean;
}

/** The libraries of a namespace that its viewer may read, or its Trash, the most recently changed first. */
export async function listLibraries(
  { db }: DatabaseContext,
  viewer: Viewer,
  { row: namespace, role }: VisibleNamespace,
  { deleted }: { deleted: boolean },
): Promise<NamespaceLibraries> {
  const viewerIsMember = role !== null;
  const own = selectLibraries(db, viewer).where('libraries.namespace_id', '=', namespace.id);
  if (!deleted) {
    const memberships = role === null ? NO_MEMBERSHIPS : new Map([[namespace.id, role]]);
    const readable = own.where(readableLibraries(memberships));
    return {
      viewerIsMember,
      ...(await readList(readable, readable.orderBy('libraries.updated_at', 'desc'))),
    };
  }
  const trash = own.where('libraries.state', '=', 'deleted');
  const ordered = trash.orderBy('libraries.deleted_at', 'desc');
  return { viewerIsMember, ...(await readList(trash, viewerIsMember ? ordered : ordered.limit(0))) };
}

function selectLibraries(db: Context['db'], viewer: Viewer) {
  const account = viewer.kind === 'anonymous' ? '' : viewer.accountId;
  return db
    .selectFrom('libraries')
    .innerJoin('namespaces', 'namespaces.id', 'libraries.namespace_id')
    .leftJoin('use_counts', (join) =>
      join.onRef('use_counts.store_id', '=', 'libraries.store_id').on('use_counts.asset_id', '=', ''),
    )
    .leftJoin('favourites', (join) =>
      join.onRef('favourites.library_id', '=', 'libraries.id').on('favourites.account_id', '=', account),
    );
}

const PERSONAL = [
  'use_counts.downloads',
  'use_counts.uses',
  'favourites.created_at as favourite_since',
] as const;

type Libraries = ReturnType<typeof selectLibraries>;

/** `all` selects the libraries that may be listed, `ordered` those that are, in the order of the list. */
async function readList(all: Libraries, ordered: Libraries): Promise<LibraryList> {
  const states = await ordered
    .orderBy('libraries.id')
    .select(STATE.map((column) => `libraries.${column}` as const))
    .select(PERSONAL)
    .execute();
  return { states, libraries: readRows(all, states) };
}

async function* readRows(all: Libraries, states: readonly LibraryState[]): AsyncGenerator<ListedLibrary> {
  for (let at = 0; at < states.length; at += ROWS_AT_ONCE) {
    const ids = states.slice(at, at + ROWS_AT_ONCE).map(({ id }) => id);
    const rows = await all
      .selectAll('libraries')
      .select(['namespaces.slug', ...PERSONAL])
      .where('libraries.id', 'in', ids)
      .execute();
    const byId = new Map(
      rows.map(({ slug, downloads, uses, favourite_since, ...row }) => [
        row.id,
        {
          row,
          namespace: slug,
          isFavourite: favourite_since !== null,
          downloads: Number(downloads ?? 0),
          usedBy: Number(uses ?? 0),
        },
      ]),
    );
    for (const id of ids) {
      const listed = byId.get(id);
      if (listed) yield listed;
    }
  }
}
