import type { Bindr, BindrChoicePage, LegacyBindr, LegacyBindrTree } from '@bindery/contract';
import { type SelectQueryBuilder, sql } from 'kysely';
import {
  type ProjectAddress,
  type ReadableProject,
  readableProject,
  readableProjectById,
} from '../access/projects.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Context, DatabaseContext } from '../context.ts';
import { matchesSearch } from '../database/queries.ts';
import type { Database } from '../database/schema.ts';
import { notFound } from '../errors.ts';
import { type Cursor, decodeCursor, encodeCursor, requireCursorOf } from './cursor.ts';

/** The requested page of Bindr choices. */
interface ChoicesInput {
  search: string;
  first: number;
  after?: string | undefined;
  /** Whether to include the ancestors of the page's Bindrs. */
  ancestors?: 'true' | undefined;
}

/** Returns the Bindrs that a picker can offer in a project, which is found by namespace and slug. */
export async function bindrChoices(
  context: Context,
  viewer: Viewer,
  project: ProjectAddress,
  input: () => ChoicesInput,
): Promise<BindrChoicePage> {
  return choicePage(context, readableProject(context.db, viewer, project).select('projects.id'), input);
}

/** Like `bindrChoices`, for a project found by the id of its Node. */
export async function bindrChoicesById(
  context: Context,
  viewer: Viewer,
  projectId: string,
  input: () => ChoicesInput,
): Promise<BindrChoicePage> {
  return choicePage(context, readableProjectById(context.db, viewer, projectId).select('projects.id'), input);
}

/** The query for one project, if the viewer can read it. */
type ProjectQuery<DB, TB extends keyof DB> = SelectQueryBuilder<DB, TB, { id: string }>;

/**
 * Returns one page, ordered by name, then id. The cursor holds the name and id after which to continue, so rows that
 * are added or removed concurrently neither shift the page nor repeat a row. The statement that reads the page also
 * checks access; only if it finds nothing, a second one checks whether the project is readable.
 */
async function choicePage<DB, TB extends keyof DB>(
  { db, clock, cursorSecret }: Context,
  project: ProjectQuery<DB, TB>,
  input: () => ChoicesInput,
): Promise<BindrChoicePage> {
  const wanted = await readInput(project, () => wantedPage(cursorSecret, input()));
  const { search, first, after, ancestors } = wanted;
  const rows = await selectBindrs(db)
    .where('project_id', '=', project)
    .where(matchesSearch('search_text', search))
    .$if(after !== null, (select) => select.where(sql<boolean>`(name, id) > (${after?.name}, ${after?.id})`))
    .limit(first + 1)
    .execute();
  const projectId = rows[0]?.projectNodeId ?? (await requireProject(project));
  const query = { projectId, search };
  if (after !== null) requireCursorOf(query, after, clock());
  const nodes = rows.slice(0, first);
  const last = nodes.at(-1);
  return {
    nodes,
    pageInfo: {
      endCursor: last ? encodeCursor(cursorSecret, query, last, clock()) : null,
      hasNextPage: rows.length > first,
    },
    ...(ancestors && { ancestors: await selectAncestors(db, nodes) }),
  };
}

function wantedPage(
  secret: string,
  { after, ...input }: ChoicesInput,
): Omit<ChoicesInput, 'after'> & { after: Cursor | null } {
  return { ...input, after: after === undefined ? null : decodeCursor(secret, after) };
}

/** Reports errors in the input only to viewers who can read the project. */
async function readInput<DB, TB extends keyof DB, Input>(
  project: ProjectQuery<DB, TB>,
  read: () => Input,
): Promise<Input> {
  try {
    return read();
  } catch (error) {
    await requireProject(project);
    throw error;
  }
}

/** Returns the project's id, or throws 404. */
async function requireProject<DB, TB extends keyof DB>(project: ProjectQuery<DB, TB>): Promise<string> {
  const found = await project.executeTakeFirst();
  if (!found) throw notFound();
  return found.id;
}

/** Returns the ancestors of the given Bindrs that are not among them. */
async function selectAncestors(db: Database, bindrs: readonly Bindr[]): Promise<Bindr[]> {
  const known = new Set(bindrs.map(({ id }) => id));
  const parents = bindrs.flatMap(({ parentId }) => parentId ?? []).filter((id) => !known.has(id));
  const missing = [...new Set(parents)];
  if (missing.length === 0) return [];
  const rows = await db
    .withRecursive('above', (cte) =>
      cte
        .selectFrom('bindrs')
        .select(['bindrs.id', 'bindrs.name', 'bindrs.parent_id', 'bindrs.project_id'])
        .where('bindrs.id', 'in', missing)
        .union(
          cte
            .selectFrom('bindrs')
            .innerJoin('above', 'above.parent_id', 'bindrs.id')
            .select(['bindrs.id', 'bindrs.name', 'bindrs.parent_id', 'bindrs.project_id']),
        ),
    )
    .selectFrom('above')
    .select(['id', 'name', 'parent_id as parentId', 'project_id as projectNodeId'])
    .execute();
  return rows.filter(({ id }) => !known.has(id));
}

/** Returns the whole tree of a project's Bindrs, for older clients. */
export async function bindrTree({ db }: DatabaseContext, { row }: ReadableProject): Promise<LegacyBindrTree> {
  return { bindrs: treeOf(await selectBindrs(db).where('project_id', '=', row.id).execute()) };
}

/** Nests Bindrs below their parents; siblings stay in the given order. */
function treeOf(bindrs: readonly Bindr[]): LegacyBindr[] {
  const nested = new Map<string, LegacyBindr>(
    bindrs.map(({ id, name, parentId }) => [id, { id, name, parentId, children: [] }]),
  );
  const roots: LegacyBindr[] = [];
  for (const bindr of nested.values()) {
    const parent = bindr.parentId === null ? undefined : nested.get(bindr.parentId);
    (parent?.children ?? roots).push(bindr);
  }
  return roots;
}

/** Queries Bindrs, ordered by name, then id. */
export function selectBindrs(db: Database) {
  return db
    .selectFrom('bindrs')
    .select(['id', 'name', 'parent_id as parentId', 'project_id as projectNodeId'])
    .orderBy('name')
    .orderBy('id');
}
