import { LIMITS, libraryName, namespaceSlug } from '@bindery/contract';
import type { ExpressionBuilder } from 'kysely';
import { type RevisionRow, readableLibraries } from '../access/libraries.ts';
import { membershipsOf } from '../access/namespaces.ts';
import type { Viewer } from '../access/viewer.ts';
import type { DatabaseContext, MaintenanceContext } from '../context.ts';
import type { Database, Tables } from '../database/schema.ts';
import { invalidParameter, ServiceError } from '../errors.ts';
import { type OpenedRevision, openRevision } from '../objects/open-revision.ts';
import { nextTurn, turnIsOver } from '../process/turns.ts';

/** A library as a client names it. */
interface TargetName {
  namespace: string;
  library: string;
}

/** What a search reads of a library's row: rows are wide, and there may be many. */
const SEARCHED = [
  'id',
  'name',
  'store_id',
  'revision',
  'index_sha256',
  'codes_sha256',
  'vectors_dim',
  'vectors_model',
  'manifest_layout',
  'updated_at',
] as const satisfies readonly (keyof RevisionRow)[];

type SearchedRow = Pick<RevisionRow, (typeof SEARCHED)[number] | 'release' | 'isRetired'>;

/** A library that is searched, or a release of it. */
export interface Target extends TargetName {
  row: SearchedRow;
}

/** Rows that one statement reads. */
const ROWS_AT_ONCE = 500;

/** A library as clients write it: `namespace/name`. */
export function qualifiedName({ namespace, library }: TargetName): string {
  return `${namespace}/${library}`;
}

/** Parses `ns/name,ns/name`; each target once, in the order given. Throws `invalid_parameter`. */
export function parseTargets(libraries: string): TargetName[] {
  const entries = libraries.split(',');
  const { libraries: most } = LIMITS.search;
  if (entries.length > most) {
    throw invalidParameter('libraries', `libraries: at most ${most} entries (received ${entries.length}).`);
  }
  return [...new Set(entries)].map(parseTarget);
}

function parseTarget(entry: string): TargetName {
  const [namespace, library, ...rest] = entry.split('/');
  const valid =
    namespaceSlug.safeParse(namespace).success && libraryName.safeParse(library).success && rest.length === 0;
  if (valid && namespace !== undefined && library !== undefined) return { namespace, library };
  const received = JSON.stringify(entry.slice(0, 80));
  throw invalidParameter(
    'libraries',
    `libraries: entries of the form "namespace/name" (received ${received}).`,
  );
}

/**
 * Returns the targets that the viewer is allowed to read, ordered by namespace and library, found in one statement.
 * Share tokens grant no access here.
 */
export async function findTargets(
  { db }: DatabaseContext,
  viewer: Viewer,
  names: readonly TargetName[],
): Promise<Target[]> {
  const rows = await select(db)
    .where(readableLibraries(await membershipsOf(db, viewer)))
    .where((eb) =>
      eb.or(
        names.map(({ namespace, library }) =>
          eb.and([eb('namespaces.slug', '=', namespace), eb('libraries.name', '=', library)]),
        ),
      ),
    )
    .execute();
  return inOrder(rows);
}

/**
 * Returns every library that the viewer is allowed to read, ordered by namespace and library. Read in the order of
 * indexes: a library that is published meanwhile comes again, and counts as it is then.
 */
export async function findReadable({ db }: DatabaseContext, viewer: Viewer): Promise<Target[]> {
  const found = new Map<string, FoundRow>();
  const active = select(db).where('libraries.state', '=', 'active');
  const open = active.where('libraries.visibility', '=', 'public');
  const own = [...(await membershipsOf(db, viewer)).keys()].map((namespace) =>
    active.where('libraries.visibility', '=', 'private').where('libraries.namespace_id', '=', namespace),
  );
  for (const part of [open, ...own]) {
    const page = part.orderBy('libraries.updated_at').orderBy('libraries.id').limit(ROWS_AT_ONCE);
    for (let last: FoundRow | undefined; ; ) {
      const rows = await (last === undefined ? page : page.where(isAfter(last))).execute();
      for (const row of rows) found.set(row.id, row);
      last = rows.at(-1);
      if (rows.length < ROWS_AT_ONCE) break;
    }
  }
  return inOrder([...found.values()]);
}

function isAfter({ updated_at, id }: FoundRow) {
  return ({ eb, refTuple, tuple }: ExpressionBuilder<Tables, 'libraries'>) =>
    eb(refTuple('libraries.updated_at', 'libraries.id'), '>', tuple(updated_at, id));
}

function select(db: Database) {
  return db
    .selectFrom('libraries')
    .innerJoin('namespaces', 'namespaces.id', 'libraries.namespace_id')
    .select(SEARCHED.map((column) => `libraries.${column}` as const))
    .select('namespaces.slug');
}

type FoundRow = SearchedRow & { slug: string };

/** Names are ASCII, and a space comes before every character of one. */
function inOrder(rows: readonly FoundRow[]): Target[] {
  return rows
    .map((row) => ({ name: `${row.slug} ${row.name}`, row }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ row }) => ({ namespace: row.slug, library: row.name, row }));
}

/** A target's row with the index of the same revision. */
export type OpenedTarget = OpenedRevision<SearchedRow>;

/** An existing target that cannot be read, and why. */
export interface UnreadableTarget {
  target: Target;
  error: ServiceError;
}

/**
 * Opens the revisions of targets. Targets that have disappeared in the meantime are left out; those that cannot be read
 * are added to `unreadable`, since one library must not keep the others from being searched.
 */
export async function* openTargets(
  context: MaintenanceContext,
  targets: readonly Target[],
  unreadable: UnreadableTarget[],
  open: (context: MaintenanceContext, row: SearchedRow) => Promise<OpenedTarget> = openRevision,
): AsyncGenerator<[Target, OpenedTarget]> {
  for (const target of targets) {
    const opened = await open(context, target.row).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code !== 'not_found') unreadable.push({ target, error });
      return null;
    });
    if (opened) yield [target, opened];
    if (turnIsOver()) await nextTurn();
  }
}
