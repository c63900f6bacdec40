import type { Bindr, BindrChoicePage } from '@bindery/contract';
import { sql } from 'kysely';
import {
  loadProject,
  loadProjectById,
  type ProjectAddress,
  type ReadableProject,
} from '../access/projects.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Database } from '../database/schema.ts';
import { matchesSearch } from '../database/search-text.ts';
import type { Parts } from '../parts.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

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
  return choicePage(parts, await loadProject(parts.db, viewer, project), input());
}

/** The same for a project found by the id of its Node. */
export async function bindrChoicesById(
  parts: ChoiceParts,
  viewer: Viewer,
  projectId: string,
  input: () => ChoicesInput,
): Promise<BindrChoicePage> {
  return choicePage(parts, await loadProjectById(parts.db, viewer, projectId), input());
}

/**
 * One page by name, then id. The cursor says after which name and id to go on, so rows that others add or remove
 * meanwhile neither shift the page nor repeat a row.
 */
async function choicePage(
  { db, clock, cursorSecret }: ChoiceParts,
  { row: project }: ReadableProject,
  { search, first, after, ancestors }: ChoicesInput,
): Promise<BindrChoicePage> {
  const query = { projectId: project.id, search };
  const from = after === undefined ? null : decodeCursor(cursorSecret, query, after, clock());
  const rows = await selectBindrs(db, project.id)
    .where(matchesSearch('search_text', search))
    .$if(from !== null, (select) => select.where(sql<boolean>`(name, id) > (${from?.name}, ${from?.id})`))
    .limit(first + 1)
    .execute();
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

/** The Bindrs of a project by name, then id. */
export function selectBindrs(db: Database, projectId: string) {
  return db
    .selectFrom('bindrs')
    .select(['id', 'name', 'parent_id as parentId', 'project_id as projectNodeId'])
    .where('project_id', '=', projectId)
    .orderBy('name')
    .orderBy('id');
}
