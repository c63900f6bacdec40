import type { NotePage, PageQuery } from '@bindery/contract';
import { loadNamespace } from '../access/load-namespace.ts';
import { asReadableNote, readableNotes, selectReadableNotes } from '../access/notes.ts';
import type { Viewer } from '../access/viewer.ts';
import { pageOffset, pageSummary } from '../database/page.ts';
import { matchesSearch } from '../database/search-text.ts';
import type { Parts } from '../parts.ts';
import { describeNote } from './describe.ts';

/** The Notes of a namespace that the viewer may read, by name, then id; a page of them. */
export async function listNotes(
  { db }: Pick<Parts, 'db'>,
  viewer: Viewer,
  { namespace: namespaceSlug }: { namespace: string },
  input: () => PageQuery,
): Promise<NotePage> {
  const { row: namespace } = await loadNamespace(db, viewer, namespaceSlug);
  const { search, ...page } = input();
  const matches = matchesSearch('notes.search_text', search);

  const { total } = await readableNotes(db, viewer)
    .where('notes.namespace_id', '=', namespace.id)
    .where(matches)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const selected = await selectReadableNotes(db, viewer)
    .where('notes.namespace_id', '=', namespace.id)
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
