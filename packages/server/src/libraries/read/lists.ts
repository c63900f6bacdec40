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
}

/** The columns that distinguish one state of a library from another. */
const STATE = ['id', 'revision', 'changes', 'state', 'cover_sha256'] as const;
export type LibraryState = Pick<LibraryRow, (typeof STATE)[number]>;

export interface LibraryList {
  /** The state of every library, in the order of the list. */
  states: LibraryState[];
  /** The libraries, read lazily; those deleted in the meantime are left out. */
  libraries: AsyncIterable<ListedLibrary>;
}

/** The public libraries and those of the viewer's namespaces, the most recently updated first. */
export async function listAllLibraries(
  { db }: DatabaseContext,
  viewer: Viewer,
  limit: number,
): Promise<LibraryList> {
  const readable = selectLibraries(db).where(readableLibraries(await membershipsOf(db, viewer)));
  return readList(readable, readable.orderBy('libraries.updated_at', 'desc').limit(limit));
}

interface NamespaceLibraries extends LibraryList {
  viewerIsMember: boolean;
}

/** The libraries of a namespace that its viewer may read, or its Trash, the most recently changed first. */
export async function listLibraries(
  { db }: DatabaseContext,
  { row: namespace, role }: VisibleNamespace,
  { deleted }: { deleted: boolean },
): Promise<NamespaceLibraries> {
  const viewerIsMember = role !== null;
  const own = selectLibraries(db).where('libraries.namespace_id', '=', namespace.id);
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

function selectLibraries(db: Context['db']) {
  return db.selectFrom('libraries').innerJoin('namespaces', 'namespaces.id', 'libraries.namespace_id');
}

type Libraries = ReturnType<typeof selectLibraries>;

/** `all` selects the libraries that may be listed, `ordered` those that are, in the order of the list. */
async function readList(all: Libraries, ordered: Libraries): Promise<LibraryList> {
  const states = await ordered
    .orderBy('libraries.id')
    .select(STATE.map((column) => `libraries.${column}` as const))
    .execute();
  return { states, libraries: readRows(all, states) };
}

async function* readRows(all: Libraries, states: readonly LibraryState[]): AsyncGenerator<ListedLibrary> {
  for (let at = 0; at < states.length; at += ROWS_AT_ONCE) {
    const ids = states.slice(at, at + ROWS_AT_ONCE).map(({ id }) => id);
    const rows = await all
      .selectAll('libraries')
      .select('namespaces.slug')
      .where('libraries.id', 'in', ids)
      .execute();
    const byId = new Map(rows.map(({ slug, ...row }) => [row.id, { row, namespace: slug }]));
    for (const id of ids) {
      const listed = byId.get(id);
      if (listed) yield listed;
    }
  }
}
