import { type AuditAction, type BodyOf, LIMITS, type Proposal, type routes } from '@bindery/contract';
import {
  type LibraryAddress,
  type LibraryRow,
  loadLibraryForMember,
  lockLibraryForMember,
  lockLibraryForWrite,
} from '../../access/libraries.ts';
import { requireAccount, type Viewer } from '../../access/viewer.ts';
import { actorOf, recordAudit } from '../../audit/audit-log.ts';
import type { Context } from '../../context.ts';
import { countRows } from '../../database/queries.ts';
import type { Database } from '../../database/schema.ts';
import { forbidden, ServiceError } from '../../errors.ts';
import { countReleaseChange, lockStore } from '../../objects/library-store.ts';
import { openRevision } from '../../objects/open-revision.ts';
import { afterGrace, marked } from '../../objects/retention/retire.ts';
import { registerLibrary } from '../publish/register.ts';
import { conflictsWith } from './change.ts';
import { requirePassed } from './checks.ts';
import { changeOf, readProposal, requireProposal } from './read.ts';

/** A proposal as addressed by a client. */
export interface ProposalAddress extends LibraryAddress {
  proposal: number;
}

/**
 * Publishes what a proposal changes as the library's next revision, on what it is now, and records the decision in the
 * same transaction. Throws `proposal_conflict` if the library has changed some of it too since, `checks_not_passed`,
 * `proposal_decided`, and the errors of a register; then nothing has changed.
 */
export async function acceptProposal(
  context: Context,
  viewer: Viewer,
  { proposal: number, ...address }: ProposalAddress,
): Promise<Proposal> {
  const { row, target } = await loadLibraryForMember(context.db, viewer, address, { write: true });
  const proposal = await requireProposal(context.db, row.store_id, number);
  const change = changeOf(proposal);
  if (change === null) throw isDecided(proposal.state);
  await requirePassed(context.db, row, proposal);
  const { row: library, index } = await openRevision(context, row);
  const conflicts = await conflictsWith(index, change);
  if (conflicts.total > 0) throw conflict(number, conflicts);
  const isUnmoved = library.revision === proposal.base_revision;
  await registerLibrary(
    context,
    viewer,
    { ...target, row: library },
    {
      changes: { ...change.changes, base: library.manifest_sha256 },
      artifacts: [...change.artifacts],
      expectedRevision: library.revision,
      ...(isUnmoved && { manifestSha256: proposal.manifest_sha256 }),
      alsoCommit: (trx, registered) => decide(context, trx, viewer, registered, address, number, 'accepted'),
    },
  );
  return readAgain(context, viewer, address, number);
}

async function readAgain(
  context: Context,
  viewer: Viewer,
  address: LibraryAddress,
  number: number,
): Promise<Proposal> {
  return readProposal(context, viewer, await loadLibraryForMember(context.db, viewer, address), number);
}

function conflict(number: number, { names, total }: Proposal['conflicts']): ServiceError {
  return new ServiceError(
    'proposal_conflict',
    `The library has changed what proposal ${number} changes: ${names[0]}${total > 1 ? ` and ${total - 1} more` : ''}. ` +
      'Its author can pull the library, merge, and propose it again.',
    { names, total },
  );
}

/** Refuses an open proposal. Throws `proposal_decided`. */
export async function refuseProposal(
  context: Context,
  viewer: Viewer,
  { proposal: number, ...address }: ProposalAddress,
): Promise<Proposal> {
  await context.db.transaction().execute(async (trx) => {
    const { row } = await lockLibraryForWrite(trx, viewer, address);
    await decide(context, trx, viewer, row, address, number, 'refused');
  });
  return readAgain(context, viewer, address, number);
}

/** Withdraws an open proposal of the viewer. Throws `forbidden` for one of somebody else, and `proposal_decided`. */
export async function withdrawProposal(
  context: Context,
  viewer: Viewer,
  { proposal: number, ...address }: ProposalAddress,
): Promise<Proposal> {
  await context.db.transaction().execute(async (trx) => {
    const { row } = await lockLibraryForMember(trx, viewer, address);
    const { author_id } = await requireProposal(trx, row.store_id, number);
    if (author_id !== requireAccount(viewer).accountId)
      throw forbidden('Only its author can withdraw a proposal.');
    await decide(context, trx, viewer, row, address, number, 'withdrawn');
  });
  return readAgain(context, viewer, address, number);
}

const ACTIONS = {
  accepted: 'proposal.accept',
  refused: 'proposal.refuse',
  withdrawn: 'proposal.withdraw',
} as const;

/** Ends an open proposal: from here on nothing is kept for it. Throws `not_found` and `proposal_decided`. */
async function decide(
  { clock, configuration }: Context,
  trx: Database,
  viewer: Viewer,
  library: LibraryRow,
  address: LibraryAddress,
  number: number,
  state: keyof typeof ACTIONS,
): Promise<void> {
  const { store_id: storeId } = library;
  const now = clock();
  await lockStore(trx, storeId);
  const proposal = await requireProposal(trx, storeId, number);
  if (proposal.state !== 'open') throw isDecided(proposal.state);
  if (state === 'accepted') await requirePassed(trx, library, proposal);
  const { accountId } = requireAccount(viewer);
  const revision = state === 'accepted' ? library.revision : null;
  await trx
    .updateTable('proposals')
    .set({ state, decided_by: accountId, decided_at: now, accepted_revision: revision })
    .set({ change: null, described: null })
    .where('store_id', '=', storeId)
    .where('number', '=', number)
    .execute();
  await countReleaseChange(trx, storeId);
  await trx
    .updateTable('library_names')
    .set(marked(afterGrace(configuration, now)))
    .where('store_id', '=', storeId)
    .execute();
  const details = revision !== null && { revision };
  const what = audited(library, address, proposal, ACTIONS[state], details);
  await recordAudit(trx, now, actorOf(viewer), what);
}

function audited(
  { namespace_id: id }: LibraryRow,
  { namespace: slug, name }: LibraryAddress,
  { number, title }: { number: number; title: string },
  action: AuditAction,
  details: Record<string, string | number> | false = false,
) {
  const target = `${name}/proposals/${number}`;
  return { action, namespace: { id, slug }, target, details: { title, ...details } };
}

function isDecided(state: Proposal['state']): ServiceError {
  return new ServiceError('proposal_decided', `The proposal was ${state} before.`, { state });
}

/** Adds a comment to a proposal. Throws `forbidden` if it has as many as it may have. */
export async function commentOnProposal(
  context: Context,
  viewer: Viewer,
  { proposal: number, ...address }: ProposalAddress,
  { text }: BodyOf<typeof routes.proposals.commentOnProposal>,
): Promise<Proposal> {
  const now = context.clock();
  await context.db.transaction().execute(async (trx) => {
    const { row } = await lockLibraryForMember(trx, viewer, address);
    await lockStore(trx, row.store_id);
    const found = await requireProposal(trx, row.store_id, number);
    const { last } = await trx
      .selectFrom('proposal_comments')
      .select((eb) => eb.fn.max('number').as('last'))
      .where('store_id', '=', row.store_id)
      .where('proposal', '=', number)
      .executeTakeFirstOrThrow();
    const place = Number(last ?? 0) + 1;
    if (place > LIMITS.proposals.comments)
      throw forbidden(`The proposal has ${LIMITS.proposals.comments} comments, the maximum.`);
    const author_id = requireAccount(viewer).accountId;
    await trx
      .insertInto('proposal_comments')
      .values({ store_id: row.store_id, proposal: number, number: place, author_id, at: now, text })
      .execute();
    await recordAudit(trx, now, actorOf(viewer), audited(row, address, found, 'proposal.comment'));
  });
  return readAgain(context, viewer, address, number);
}

/**
 * Records what a tool found in an open proposal, in place of what was posted under that name. Throws `proposal_decided`,
 * and `forbidden` if the proposal has as many checks as it may have.
 */
export async function postCheck(
  context: Context,
  viewer: Viewer,
  { proposal: number, ...address }: ProposalAddress,
  { name, state, summary, url }: BodyOf<typeof routes.proposals.postCheck>,
): Promise<Proposal> {
  const now = context.clock();
  await context.db.transaction().execute(async (trx) => {
    const { row } = await lockLibraryForWrite(trx, viewer, address);
    await lockStore(trx, row.store_id);
    const proposal = await requireProposal(trx, row.store_id, number);
    if (proposal.state !== 'open') throw isDecided(proposal.state);
    const others = trx
      .selectFrom('proposal_checks')
      .where('store_id', '=', row.store_id)
      .where('proposal', '=', number)
      .where('name', '!=', name);
    if ((await countRows(others)) >= LIMITS.proposals.checks)
      throw forbidden(`The proposal has ${LIMITS.proposals.checks} checks, the maximum.`);
    const posted = {
      ...{ state, summary: summary ?? null, url: url ?? null },
      ...{ posted_by: requireAccount(viewer).accountId, posted_at: now },
    };
    await trx
      .insertInto('proposal_checks')
      .values({ store_id: row.store_id, proposal: number, name, ...posted })
      .onConflict((conflict) => conflict.columns(['store_id', 'proposal', 'name']).doUpdateSet(posted))
      .execute();
    const what = audited(row, address, proposal, 'proposal.check', { check: name, state });
    await recordAudit(trx, now, actorOf(viewer), what);
  });
  return readAgain(context, viewer, address, number);
}
