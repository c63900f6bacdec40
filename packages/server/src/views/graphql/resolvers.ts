import { type BindrChoicePage, LIMITS, namespaceSlug, nodeId, text, type User } from '@bindery/contract';
import { z } from 'zod';
import { describeUser, loadAccount } from '../../accounts/account.ts';
import { bindrChoicesById } from '../../bindrs/choices.ts';
import { invalidParameter, ServiceError } from '../../errors.ts';
import { readNoteRow } from '../../notes/read.ts';
import { visibleNodes } from '../../notes/visible-nodes.ts';
import { projectCatalog } from '../../projects/catalog.ts';
import { type NodeShape, projectNode, resourceNode } from './nodes.ts';
import type { CatalogShape, GraphqlContext, NoteShape } from './shapes.ts';

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

const catalogInput = z.object({
  search,
  page: z
    .int()
    .min(1)
    .max(LIMITS.pages)
    .nullish()
    .transform((value) => value ?? 1),
  pageSize: z
    .int()
    .min(1)
    .max(catalogPageSize.max)
    .nullish()
    .transform((value) => value ?? catalogPageSize.default),
});

const choicesInput = z.object({
  search,
  first: z
    .int()
    .min(1)
    .max(choices.max)
    .nullish()
    .transform((value) => value ?? choices.default),
  after: z
    .string()
    .max(LIMITS.cursorLength)
    .nullish()
    .transform((value) => value ?? undefined),
});

export async function queryMe({ parts, viewer }: GraphqlContext): Promise<User | null> {
  if (viewer.kind === 'anonymous') return null;
  const account = await loadAccount(parts.db, viewer.accountId);
  return account ? describeUser(account) : null;
}

/** Returns null, without an error, for a missing or hidden Note and for what cannot be the address of a Note. */
export async function findNote(
  { parts, viewer }: GraphqlContext,
  input: Arguments<'namespaceSlug' | 'id'>,
): Promise<NoteShape | null> {
  const { success, data: address } = noteAddress.safeParse(parse(noteInput, input));
  if (!success) return null;
  try {
    const row = await readNoteRow(parts, viewer, {
      namespace: address.namespaceSlug,
      noteId: address.id,
    });
    return { id: row.id, name: row.name, row };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return null;
    throw error;
  }
}

export async function noteNodes({ parts, viewer }: GraphqlContext, note: NoteShape): Promise<NodeShape[]> {
  return (await visibleNodes(parts, viewer, note.row)).map(resourceNode);
}

export async function queryCatalog(
  { parts, viewer }: GraphqlContext,
  input: Arguments<'namespaceSlug' | 'search' | 'page' | 'pageSize'>,
): Promise<CatalogShape> {
  const address = parse(catalogAddress, input);
  const page = await projectCatalog(parts, viewer, { namespace: address.namespaceSlug }, () =>
    parse(catalogInput, input),
  );
  return { ...page, projects: page.projects.map(projectNode) };
}

export async function queryBindrs(
  { parts, viewer }: GraphqlContext,
  input: Arguments<'projectId' | 'search' | 'first' | 'after'>,
): Promise<BindrChoicePage> {
  const address = parse(bindrsAddress, input);
  return bindrChoicesById(parts, viewer, address.projectId, () => parse(choicesInput, input));
}

function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const name = String(issue?.path[0] ?? 'arguments');
  throw invalidParameter(name, `${name}: ${issue?.message}.`);
}
