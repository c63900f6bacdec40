import type { Bindr, BindrChoicePage } from '@bindery/contract';
import { type SelectQueryBuilder, sql } from 'kysely';
import { type ProjectAddress, readableProject, readableProjectById } from '../access/projects.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Database } from '../database/schema.ts';
import { matchesSearch } from '../database/search-text.ts';
import { notFound } from '../errors.ts';
import type { Parts } from '../parts.ts';
import { type Cursor, decodeCursor, encodeCursor, requireCursorOf } from './cursor.ts';

/** Which page of Bindr choices is wanted. */
export interface ChoicesInput {
  search: string;
  first: number;
  after?: string | undefined;
  /** Whether what is above the Bindrs of the page is wanted too. */
  ancestors?: 'true' | undefined;
}

type ChoiceParts = Pick<Parts, 'db' | 'clock' | 'cursorSecret'>;

/** The Bindrs that a picker may offer in a project, found by namespace and slug. */
export async function bindrChoices(
  parts: ChoiceParts,
  viewer: Viewer,
  project: ProjectAddress,
  input: () => ChoicesInput,
): Promise<BindrChoicePage> {
  return choicePage(parts, readableProject(parts.db, viewer, project).select('projects.id'), input);
}

/** The same for a project found by the id of its Node. */
export async function bindrChoicesById(
  parts: ChoiceParts,
  viewer: Viewer,
  projectId: string,
  input: () => ChoicesInput,
): Promise<BindrChoicePage> {
  return choicePage(parts, readableProjectById(parts.db, viewer, projectId).select('projects.id'), input);
}

/** The query of the one project, if the viewer may read it. */
type ProjectQuery<DB, TB extends keyof DB> = SelectQueryBuilder<DB, TB, { id: string }>;

/**
 * One page by name, then id. The cursor says after which name and id to go on, so rows that others add or remove
 * meanwhile neither shift the page nor repeat a row. Access is decided in the statement that reads the page: only where it finds
 * nothing, a second one says whether the project is there.
 */
async function choicePage<DB, TB extends keyof DB>(
  { db, clock, cursorSecret }: ChoiceParts,
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

/** What is wrong with the input is said only to those who may read the project. */
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

/** The project's id, or 404. */
async function requireProject<DB, TB extends keyof DB>(project: ProjectQuery<DB, TB>): Promise<string> {
  const found = await project.executeTakeFirst();
  if (!found) throw notFound();
  return found.id;
}

/** Every Bindr above the given ones that is not among them. */
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

/** Bindrs by name, then id. */
export function selectBindrs(db: Database) {
  return db
    .selectFrom('bindrs')
    .select(['id', 'name', 'parent_id as parentId', 'project_id as projectNodeId'])
    .orderBy('name')
    .orderBy('id');
}
