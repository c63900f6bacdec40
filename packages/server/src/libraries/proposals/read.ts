import {
  LIMITS,
  type Proposal,
  type ProposalSummary,
  type ResponseOf,
  type RevisionChanges,
  type routes,
} from '@bindery/contract';
import type { Selectable } from 'kysely';
import { proposedRows, type ReadableLibrary } from '../../access/libraries.ts';
import { type AccountViewer, requireAccount, tokenAppliesIn, type Viewer } from '../../access/viewer.ts';
import type { DatabaseContext, MaintenanceContext } from '../../context.ts';
import { countRows, type PageRequest, pageOffset, pageSummary } from '../../database/queries.ts';
import type { Database } from '../../database/schema.ts';
import type { ProposalsTable } from '../../database/tables/libraries.ts';
import { notFound } from '../../errors.ts';
import { openRevision } from '../../objects/open-revision.ts';
import { pageOfChanges } from '../read/changes.ts';
import { conflictsWith, type ProposedChange, touchedAssets } from './change.ts';
import { checksOf } from './checks.ts';

type ProposalRow = Selectable<ProposalsTable>;

/** A proposal's row. Throws `not_found`. */
export async function requireProposal(db: Database, storeId: string, number: number): Promise<ProposalRow> {
  const row = await db
    .selectFrom('proposals')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('number', '=', number)
    .executeTakeFirst();
  if (row === undefined) throw notFound();
  return row;
}

export function changeOf({ change }: Pick<ProposalRow, 'change'>): ProposedChange | null {
  return change === null ? null : JSON.parse(change);
}

const SUMMARY = [
  'proposals.store_id',
  'proposals.number',
  'proposals.title',
  'proposals.state',
  'proposals.opened_at',
  'proposals.assets_added',
  'proposals.assets_removed',
  'proposals.assets_changed',
] as const;

function summaries(db: Database) {
  return db
    .selectFrom('proposals')
    .leftJoin('accounts', 'accounts.id', 'proposals.author_id')
    .select(SUMMARY)
    .select('accounts.user_name as author')
    .select((eb) =>
      eb
        .selectFrom('proposal_comments')
        .select((comments) => comments.fn.countAll<number>().as('total'))
        .whereRef('proposal_comments.store_id', '=', 'proposals.store_id')
        .whereRef('proposal_comments.proposal', '=', 'proposals.number')
        .as('comments'),
    );
}

type SummaryRow = Pick<
  ProposalRow,
  'number' | 'title' | 'state' | 'opened_at' | 'assets_added' | 'assets_removed' | 'assets_changed'
> & { author: string | null; comments: number | string | null };

function describeSummary(row: SummaryRow, namespace: string, library: string): ProposalSummary {
  const { number, title, state, author, comments } = row;
  return {
    ...{ namespace, library, number, title, state, author },
    openedAt: new Date(row.opened_at).toISOString(),
    assets: { added: row.assets_added, removed: row.assets_removed, changed: row.assets_changed },
    commentCount: Number(comments ?? 0),
  };
}

/** Returns a page of the proposals of a library, newest first. */
export async function listProposals(
  { db }: DatabaseContext,
  { row, namespace }: ReadableLibrary,
  { state, ...page }: PageRequest & { state: 'open' | 'decided' | 'all' },
): Promise<ResponseOf<typeof routes.proposals.listProposals>> {
  const operator = state === 'open' ? '=' : '!=';
  const found = summaries(db)
    .where('proposals.store_id', '=', row.store_id)
    .$if(state !== 'all', (query) => query.where('proposals.state', operator, 'open'));
  const rows = await found
    .orderBy('proposals.number', 'desc')
    .limit(page.pageSize)
    .offset(pageOffset(page))
    .execute();
  const proposals = rows.map((one) => describeSummary(one, namespace, row.name));
  return { proposals, ...pageSummary(page, await countRows(found.clearSelect())) };
}

/** Returns the latest open proposals in the namespaces in which the viewer may publish. */
export async function listWaiting(
  { db }: DatabaseContext,
  viewer: AccountViewer,
): Promise<ResponseOf<typeof routes.proposals.listWaiting>> {
  const open = summaries(db)
    .innerJoin('memberships', 'memberships.namespace_id', 'proposals.namespace_id')
    .innerJoin('namespaces', 'namespaces.id', 'proposals.namespace_id')
    .innerJoin('libraries', 'libraries.store_id', 'proposals.store_id')
    .where('proposals.state', '=', 'open')
    .where('memberships.account_id', '=', viewer.accountId)
    .where('memberships.role', '!=', 'reader')
    .where(tokenAppliesIn(viewer, 'memberships.namespace_id'))
    .where('libraries.state', '=', 'active');
  const rows = await open
    .select(['namespaces.slug', 'libraries.name'])
    .orderBy('proposals.opened_at', 'desc')
    .limit(LIMITS.proposals.waiting)
    .execute();
  const isAll = rows.length < LIMITS.proposals.waiting;
  return {
    total: isAll ? rows.length : await countRows(open.clearSelect()),
    proposals: rows.map((row) => describeSummary(row, row.slug, row.name)),
  };
}

/** Returns one proposal of a library. Throws `not_found`. */
export async function readProposal(
  context: MaintenanceContext,
  viewer: Viewer,
  { row: library, namespace, viewerCanManage }: ReadableLibrary,
  number: number,
): Promise<Proposal> {
  const { db } = context;
  const row = await requireProposal(db, library.store_id, number);
  const people = await db
    .selectFrom('accounts')
    .select(['id', 'user_name'])
    .where('id', 'in', [row.author_id, row.decided_by ?? row.author_id])
    .execute();
  const nameOf = (id: string | null) => people.find((one) => one.id === id)?.user_name ?? null;
  const comments = await db
    .selectFrom('proposal_comments')
    .leftJoin('accounts', 'accounts.id', 'proposal_comments.author_id')
    .select(['proposal_comments.at', 'proposal_comments.text', 'accounts.user_name as author'])
    .where('store_id', '=', library.store_id)
    .where('proposal', '=', number)
    .orderBy('proposal_comments.number')
    .execute();
  const change = changeOf(row);
  const described = { ...row, author: nameOf(row.author_id), comments: comments.length };
  return {
    ...describeSummary(described, namespace, library.name),
    message: row.message,
    authorCheck: row.checks === null ? null : JSON.parse(row.checks),
    checks: await checksOf(db, library, row),
    base: row.base_revision,
    files: { count: row.files_added, bytes: row.bytes_added },
    conflicts:
      change === null || library.revision === row.base_revision
        ? { names: [], total: 0 }
        : await conflictsWith((await openRevision(context, library)).index, change),
    decidedBy: nameOf(row.decided_by),
    decidedAt: row.decided_at === null ? null : new Date(row.decided_at).toISOString(),
    revision: row.accepted_revision,
    viewerMayDecide: viewerCanManage && row.state === 'open',
    viewerIsAuthor: requireAccount(viewer).accountId === row.author_id,
    comments: comments.map(({ author, at, text }) => ({ author, at: new Date(at).toISOString(), text })),
  };
}

/** Returns a page of what an open proposal changes in the library as it is. Throws `not_found` once it is decided. */
export async function readProposedChanges(
  context: MaintenanceContext,
  { row: library }: ReadableLibrary,
  number: number,
  page: { after?: string | undefined; limit: number },
): Promise<Omit<RevisionChanges, 'changes'> & { count: number; changes: AsyncIterable<unknown> }> {
  const proposal = await requireProposal(context.db, library.store_id, number);
  const [row] = await proposedRows(context.db, library, number);
  const change = changeOf(proposal);
  if (row === undefined || change === null) throw notFound();
  const compared = { from: await openRevision(context, library), to: await openRevision(context, row) };
  const { to, ...changed } = await pageOfChanges(compared, page, touchedAssets(change));
  const isTouched = ({ path }: { path: string }) => Object.hasOwn(change.basis, path);
  const rootFiles = [
    ...changed.from.rootFiles.filter((file) => !isTouched(file)),
    ...to.rootFiles.filter(isTouched),
  ];
  const stated = change.changes.library === undefined ? changed.from.library : to.library;
  return { ...changed, to: { ...to, library: stated, rootFiles } };
}
