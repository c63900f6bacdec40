import type { NotePage, QueryOf, routes } from '@bindery/contract';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { loadNamespace } from '../access/load-namespace.ts';
import { asReadableNote, readableNotes, selectReadableNotes } from '../access/notes.ts';
import { loadProject } from '../access/projects.ts';
import type { Viewer } from '../access/viewer.ts';
import type { DatabaseContext } from '../context.ts';
import { matchesSearch, pageOffset, pageSummary } from '../database/queries.ts';
import type { Tables } from '../database/schema.ts';
import { describeNote } from './describe.ts';

/**
 * Returns a page of the Notes of a namespace that the viewer can read, ordered by name, then id. With `project`, only
 * those filed in it: throws 404 if the viewer cannot read the project.
 */
export async function listNotes(
  { db }: DatabaseContext,
  viewer: Viewer,
  { namespace: namespaceSlug }: { namespace: string },
  input: () => QueryOf<typeof routes.notes.listNotes>,
): Promise<NotePage> {
  const { row: namespace } = await loadNamespace(db, viewer, namespaceSlug);
  const { search, project, ...page } = input();
  const projectId =
    project === undefined
      ? null
      : (await loadProject(db, viewer, { namespace: namespaceSlug, projectSlug: project })).row.id;
  const matches = (eb: ExpressionBuilder<Tables, 'notes'>) =>
    eb.and([
      eb('notes.namespace_id', '=', namespace.id),
      matchesSearch('notes.search_text', search),
      ...(projectId === null ? [] : [isFiledIn(eb, projectId)]),
    ]);

  const { total } = await readableNotes(db, viewer)
    .where(matches)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const selected = await selectReadableNotes(db, viewer)
    .where(matches)
    .orderBy('notes.name')
    .orderBy('notes.id')
    .limit(page.pageSize)
    .offset(pageOffset(page))
    .execute();
  return {
    notes: selected.map(asReadableNote).map(describeNote),
    ...pageSummary(page, Number(total)),
  };
}

function isFiledIn(eb: ExpressionBuilder<Tables, 'notes'>, projectId: string): Expression<SqlBool> {
  return eb.exists(
    eb
      .selectFrom('nodes')
      .select(eb.lit(1).as('one'))
      .whereRef('nodes.note_id', '=', 'notes.id')
      .where('nodes.project_id', '=', projectId),
  );
}
