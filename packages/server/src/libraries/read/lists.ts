import { sql } from 'kysely';
import { type LibraryRow, readableLibraries } from '../../access/libraries.ts';
import { membershipsOf, NO_MEMBERSHIPS, type VisibleNamespace } from '../../access/namespaces.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { Context, DatabaseContext } from '../../context.ts';

/** Rows of libraries are wide, so they are read a few at a time; their states are not. */
const ROWS_AT_ONCE = 20;
const STATES_AT_ONCE = 500;

/** A library of a list, with the slug of its namespace. */
export interface ListedLibrary {
  row: LibraryRow;
  namespace: string;
  isFavourite: boolean;
  downloads: number;
  usedBy: number;
}

/** The columns that distinguish one state of a library from another. */
const STATE = ['id', 'revision', 'changes', 'state', 'visibility', 'cover_sha256'] as const;
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
  const states = await stateOf(inOrder(readable, sort).orderBy('libraries.id'))
    .limit(limit)
    .offset(offset)
    .execute();
  return { states, libraries: readRows(db, viewer, states), total: Number(total) };
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
  const memberships = role === null ? NO_MEMBERSHIPS : new Map([[namespace.id, role]]);
  const listed = deleted
    ? own.where('libraries.state', '=', 'deleted')
    : own.where(readableLibraries(memberships));
  const states = deleted && !viewerIsMember ? [] : await readStates(listed);
  const time = deleted ? 'deleted_at' : 'updated_at';
  states.sort((a, b) => Number(b[time]) - Number(a[time]) || (a.id < b.id ? -1 : 1));
  return { viewerIsMember, states, libraries: readRows(db, viewer, states) };
}

/** Reads all states in the order of the index by name, so that each statement reads no more than its own rows. */
async function readStates(libraries: Libraries) {
  const some = stateOf(libraries)
    .select(['libraries.name', 'libraries.updated_at', 'libraries.deleted_at'])
    .orderBy('libraries.name')
    .limit(STATES_AT_ONCE);
  const states: Awaited<ReturnType<typeof some.execute>> = [];
  for (let last = ''; ; last = states.at(-1)?.name ?? '') {
    const next = await some.where('libraries.name', '>', last).execute();
    states.push(...next);
    if (next.length < STATES_AT_ONCE) return states;
  }
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

function stateOf(libraries: Libraries) {
  return libraries.select(STATE.map((column) => `libraries.${column}` as const)).select(PERSONAL);
}

/** Reads rows by their primary keys. What was deleted or hidden in the meantime is left out. */
async function* readRows(
  db: Context['db'],
  viewer: Viewer,
  states: readonly LibraryState[],
): AsyncGenerator<ListedLibrary> {
  for (let at = 0; at < states.length; at += ROWS_AT_ONCE) {
    const wanted = states.slice(at, at + ROWS_AT_ONCE);
    const rows = await selectLibraries(db, viewer)
      .selectAll('libraries')
      .select(['namespaces.slug', ...PERSONAL])
      .where(
        'libraries.id',
        'in',
        wanted.map(({ id }) => id),
      )
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
    for (const { id, state, visibility } of wanted) {
      const listed = byId.get(id);
      if (listed?.row.state === state && listed.row.visibility === visibility) yield listed;
    }
  }
}
