import { type LibraryRow, readableLibraries } from '../../access/libraries.ts';
import {
  type Memberships,
  membershipsOf,
  NO_MEMBERSHIPS,
  type VisibleNamespace,
} from '../../access/namespaces.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { Context, DatabaseContext } from '../../context.ts';
import { matchesName } from '../../database/queries.ts';

/** Rows of libraries are wide, so they are read a few at a time; their states are not. */
const ROWS_AT_ONCE = 20;
const STATES_AT_ONCE = 500;

/** How many words of a search are looked for. */
const MAX_WORDS = 10;

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

interface WantedPage {
  limit: number;
  offset?: number;
  of?: LibrarySet;
  sort?: LibraryOrder;
  /** Words that the address or the title has. */
  search?: string;
}

/** Part of the libraries that the viewer may read, and how many there are. */
export async function listAllLibraries(
  { db }: DatabaseContext,
  viewer: Viewer,
  { limit, offset = 0, of = 'all', sort = 'updated', search = '' }: WantedPage,
): Promise<LibraryList & { total: number }> {
  const sets = disjointSets(db, await membershipsOf(db, viewer), accountOf(viewer), of, search);
  let total = 0;
  for (const set of sets) {
    const { count } = await set
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    total += Number(count);
  }
  const ids =
    sort === 'updated'
      ? await latestOf(db, sets, { limit, offset })
      : await sortedIds(db, sets, sort, { limit, offset });
  const read =
    ids.length === 0
      ? []
      : await stateOf(selectLibraries(db, viewer)).where('libraries.id', 'in', ids).execute();
  const byId = new Map(read.map((state) => [state.id, state]));
  const states = ids.flatMap((id) => byId.get(id) ?? []);
  return { states, libraries: readRows(db, viewer, states), total };
}

/** Returns the ids of part of the libraries that the viewer may list, the most recently changed first. */
export async function latestReadable(
  db: Context['db'],
  memberships: Memberships,
  page: { limit: number; offset: number },
): Promise<string[]> {
  return latestOf(db, disjointSets(db, memberships, '', 'all'), page);
}

/**
 * The libraries of a set in parts, each of which an index has in the order of their last change: with one condition for
 * all of them, the database would read every library to sort them.
 */
function disjointSets(
  db: Context['db'],
  memberships: Memberships,
  account: string,
  of: LibrarySet,
  search = '',
) {
  const words = search.split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  const active = words.reduce(
    (rows, word) =>
      rows.where(({ eb, or }) => {
        const namespaces = db.selectFrom('namespaces').select('id').where(matchesName('slug', word));
        return or([
          matchesName('libraries.name', word),
          matchesName('libraries.title', word),
          eb('libraries.namespace_id', 'in', namespaces),
        ]);
      }),
    db.selectFrom('libraries').where('libraries.state', '=', 'active'),
  );
  if (of === 'favourites') {
    const favourites = db.selectFrom('favourites').select('library_id').where('account_id', '=', account);
    return [active.where('libraries.id', 'in', favourites).where(readableLibraries(memberships))];
  }
  const own = [...memberships.keys()];
  const ofMembers = active.where('libraries.namespace_id', 'in', own);
  if (of === 'mine') return own.length === 0 ? [] : [ofMembers];
  const open = active.where('libraries.visibility', '=', 'public');
  return own.length === 0 ? [open] : [open, ofMembers.where('libraries.visibility', '=', 'private')];
}

type LibrarySets = ReturnType<typeof disjointSets>;

interface Part {
  limit: number;
  offset: number;
}

/** Merges the parts, of each of which only the beginning is read. */
async function latestOf(db: Context['db'], sets: LibrarySets, { limit, offset }: Part): Promise<string[]> {
  const beginnings = sets.map((set) =>
    db
      .selectFrom(
        set
          .select(['libraries.id', 'libraries.updated_at'])
          .orderBy('libraries.updated_at', 'desc')
          .orderBy('libraries.id')
          .limit(offset + limit)
          .as('some'),
      )
      .selectAll('some'),
  );
  const [first, ...others] = beginnings;
  if (first === undefined) return [];
  const all = others.reduce((union, next) => union.unionAll(next), first);
  const rows = await db
    .selectFrom(all.as('library'))
    .select('library.id')
    .orderBy('library.updated_at', 'desc')
    .orderBy('library.id')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(({ id }) => id);
}

/** Reads all of the parts, but nothing except what they are sorted by. */
async function sortedIds(
  db: Context['db'],
  sets: LibrarySets,
  sort: Exclude<LibraryOrder, 'updated'>,
  { limit, offset }: Part,
): Promise<string[]> {
  const [first, ...others] = sets.map((set) =>
    set.select([
      'libraries.id',
      'libraries.namespace_id',
      'libraries.name',
      'libraries.store_id',
      'libraries.updated_at',
    ]),
  );
  if (first === undefined) return [];
  const all = db.selectFrom(others.reduce((union, next) => union.unionAll(next), first).as('library'));
  if (sort === 'name') {
    const byName = await all
      .innerJoin('namespaces', 'namespaces.id', 'library.namespace_id')
      .select('library.id')
      .orderBy('namespaces.slug')
      .orderBy('library.name')
      .limit(limit)
      .offset(offset)
      .execute();
    return byName.map(({ id }) => id);
  }
  const amount = sort === 'downloads' ? 'use_counts.downloads' : 'use_counts.uses';
  const byUse = await all
    .leftJoin('use_counts', (join) =>
      join.onRef('use_counts.store_id', '=', 'library.store_id').on('use_counts.asset_id', '=', ''),
    )
    .select('library.id')
    .orderBy((eb) => eb.fn.coalesce(eb.ref(amount), eb.lit(0)), 'desc')
    .orderBy('library.updated_at', 'desc')
    .orderBy('library.id')
    .limit(limit)
    .offset(offset)
    .execute();
  return byUse.map(({ id }) => id);
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

function accountOf(viewer: Viewer): string {
  return viewer.kind === 'anonymous' ? '' : viewer.accountId;
}

function selectLibraries(db: Context['db'], viewer: Viewer) {
  const account = accountOf(viewer);
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
