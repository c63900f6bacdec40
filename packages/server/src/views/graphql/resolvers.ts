import { type BindrChoicePage, LIMITS, namespaceSlug, nodeId, text, type User } from '@bindery/contract';
import { z } from 'zod';
import { loadNamespace } from '../../access/namespaces.ts';
import { loadNoteRow } from '../../access/notes.ts';
import { describeUser, loadAccount } from '../../accounts/accounts.ts';
import { bindrChoicesById } from '../../bindrs/choices.ts';
import { ServiceError } from '../../errors.ts';
import { parseNamed } from '../../http/parse-input.ts';
import { visibleNodes } from '../../notes/nodes.ts';
import { projectCatalog } from '../../projects/projects.ts';
import type { CatalogShape, GraphqlContext, NoteShape } from './nodes.ts';
import { type NodeShape, projectNode, resourceNode } from './nodes.ts';

/** Arguments as GraphQL passes them: absent, null or given. */
type Arguments<Names extends string> = { [Name in Names]?: unknown };

const noteInput = z.object({ namespaceSlug: z.string(), id: z.string() });
const noteAddress = z.object({ namespaceSlug, id: nodeId });
const catalogAddress = z.object({ namespaceSlug });
const bindrsAddress = z.object({ projectId: nodeId });

const { catalogPageSize, bindrChoices: choices } = LIMITS;
const search = text(LIMITS.nameSearch)
  .nullish()
  .transform((value) => value ?? '');

/** The same rule as `integerParameter` has in a query string; null counts as absent. */
function integer(range: { min: number; max: number; default: number }) {
  const rule = `an integer from ${range.min} to ${range.max}`;
  return z
    .int({ error: rule })
    .min(range.min, { error: rule })
    .max(range.max, { error: rule })
    .nullish()
    .transform((value) => value ?? range.default);
}

const catalogInput = z.object({
  search,
  page: integer({ min: 1, max: LIMITS.pages, default: 1 }),
  pageSize: integer({ min: 1, ...catalogPageSize }),
});

const choicesInput = z.object({
  search,
  first: integer({ min: 1, ...choices }),
  after: z
    .string()
    .max(LIMITS.cursorLength)
    .nullish()
    .transform((value) => value ?? undefined),
});

export async function queryMe({ context, viewer }: GraphqlContext): Promise<User | null> {
  if (viewer.kind === 'anonymous') return null;
  const account = await loadAccount(context.db, viewer.accountId);
  return account ? describeUser(account) : null;
}

/** Returns null, without an error, for a missing or hidden Note and for what cannot be the address of a Note. */
export async function findNote(
  { context, viewer }: GraphqlContext,
  input: Arguments<'namespaceSlug' | 'id'>,
): Promise<NoteShape | null> {
  const { success, data: address } = noteAddress.safeParse(parseNamed(noteInput, input));
  if (!success) return null;
  try {
    const row = await loadNoteRow(context.db, viewer, {
      namespace: address.namespaceSlug,
      noteId: address.id,
    });
    return { id: row.id, name: row.name, row };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return null;
    throw error;
  }
}

export async function noteNodes({ context, viewer }: GraphqlContext, note: NoteShape): Promise<NodeShape[]> {
  return (await visibleNodes(context.db, viewer, note.row)).map(resourceNode);
}

export async function queryCatalog(
  { context, viewer }: GraphqlContext,
  input: Arguments<'namespaceSlug' | 'search' | 'page' | 'pageSize'>,
): Promise<CatalogShape> {
  const address = parseNamed(catalogAddress, input);
  const namespace = await loadNamespace(context.db, viewer, address.namespaceSlug);
  const page = await projectCatalog(context, viewer, namespace, parseNamed(catalogInput, input));
  return { ...page, projects: page.projects.map(projectNode) };
}

export async function queryBindrs(
  { context, viewer }: GraphqlContext,
  input: Arguments<'projectId' | 'search' | 'first' | 'after'>,
): Promise<BindrChoicePage> {
  const address = parseNamed(bindrsAddress, input);
  return bindrChoicesById(context, viewer, address.projectId, () => parseNamed(choicesInput, input));
}
