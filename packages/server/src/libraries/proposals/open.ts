import { type BodyOf, LIMITS, type Proposal, type routes } from '@bindery/contract';
import {
  type LibraryAddress,
  type LibraryRow,
  lockLibraryForMember,
  type PublishTarget,
  type ReadableLibrary,
  revisionColumns,
} from '../../access/libraries.ts';
import { requireAccount, type Viewer } from '../../access/viewer.ts';
import { actorOf, recordAudit } from '../../audit/audit-log.ts';
import type { Context } from '../../context.ts';
import { countRows } from '../../database/queries.ts';
import type { Database } from '../../database/schema.ts';
import { changedMeanwhile, ServiceError } from '../../errors.ts';
import { countReleaseChange, lockStore } from '../../objects/library-store.ts';
import { openRevision } from '../../objects/open-revision.ts';
import { unmarkPending } from '../../objects/retention/doomed-objects.ts';
import type { FileClosure } from '../../revision/file-closure.ts';
import { checkState, columnsOf, type PreparedRevision } from '../publish/commit.ts';
import { requireBase } from '../publish/compose.ts';
import { applyChanges, prepareRevision } from '../publish/register.ts';
import { type ProposedChange, proposedChange } from './change.ts';
import { readProposal } from './read.ts';

type OpenProposal = BodyOf<typeof routes.proposals.openProposal>;

/**
 * Verifies uploaded files and changes of the current manifest as a register would, and keeps them as a proposal. Throws the
 * errors that the route lists.
 */
export async function openProposal(
  context: Context,
  viewer: Viewer,
  library: ReadableLibrary & { target: PublishTarget },
  { title, message, changes, manifestSha256, artifacts = [], authorCheck }: OpenProposal,
): Promise<Proposal> {
  const { accountId } = requireAccount(viewer);
  const { target } = library;
  const row = requireBase(target.row, changes, undefined);
  await requireRoom(context.db, row.store_id);
  const { index } = await openRevision(context, row);
  const change = await proposedChange(index, changes, artifacts);
  const stated = {
    title,
    message: message ?? null,
    checks: authorCheck ? JSON.stringify(authorCheck) : null,
  };
  const { committed: number } = await applyChanges(
    context,
    target,
    { changes, manifestSha256, artifacts },
    (body) =>
      prepareRevision(context, target, body, accountId, (revision, files, added) => {
        const amount = amountOf(files, added);
        return keepProposal(context, viewer, { revision, change, amount, ...stated });
      }),
    true,
  );
  return readProposal(context, viewer, library, number);
}

/** What a proposal adds. Throws `forbidden` if that is too much. */
function amountOf(files: FileClosure, added: Uint32Array): { files: number; bytes: number } {
  const amount = { files: added.length, bytes: 0 };
  for (const place of added) amount.bytes += files.size(place);
  const { files: maxFiles, bytes: maxBytes } = LIMITS.proposals;
  if (amount.files <= maxFiles && amount.bytes <= maxBytes) return amount;
  throw new ServiceError(
    'forbidden',
    `A proposal adds at most ${maxFiles} files and ${maxBytes} bytes; this adds ${amount.files} and ${amount.bytes}.`,
  );
}

interface NewProposal {
  revision: PreparedRevision;
  change: ProposedChange;
  amount: { files: number; bytes: number };
  title: string;
  message: string | null;
  checks: string | null;
}

/** Like the commit of a register; keeps the revision instead of publishing it. Returns the number of the proposal. */
function keepProposal(
  { db, clock }: Context,
  viewer: Viewer,
  { revision, change, amount, ...stated }: NewProposal,
): Promise<number> {
  const now = clock();
  const { storeId, basis, built } = revision;
  const { accountId } = requireAccount(viewer);
  const address: LibraryAddress = { namespace: revision.namespace.slug, name: revision.name };
  return db.transaction().execute(async (trx) => {
    const { row } = await lockLibraryForMember(trx, viewer, address);
    const store = await lockStore(trx, storeId);
    if (row.store_id !== storeId || store?.deletions !== basis.deletions) throw changedMeanwhile();
    checkState(row, basis.revision);
    await requireRoom(trx, storeId);
    await unmarkPending(trx, storeId, revision.refersTo);
    await countReleaseChange(trx, storeId);
    const number = (await lastNumber(trx, storeId)) + 1;
    const next = { ...row, ...columnsOf(revision), updated_at: now } as LibraryRow;
    const { index_sha256, manifest_sha256, codes_sha256, artifacts_sha256 } = next;
    await trx
      .insertInto('proposals')
      .values({
        ...{ store_id: storeId, number, namespace_id: row.namespace_id, ...stated, state: 'open' },
        ...{ author_id: accountId, opened_at: now, decided_by: null, decided_at: null },
        ...{ base_revision: row.revision, accepted_revision: null },
        assets_added: built.assetChanges.added,
        assets_removed: built.assetChanges.removed,
        assets_changed: built.assetChanges.changed,
        ...{ files_added: amount.files, bytes_added: amount.bytes },
        ...{ change: JSON.stringify(change), described: JSON.stringify(revisionColumns(next)) },
        ...{ index_sha256, manifest_sha256, codes_sha256, artifacts_sha256 },
      })
      .execute();
    await forgetOldest(trx, storeId, number - LIMITS.proposals.decided);
    await recordAudit(trx, now, actorOf(viewer), {
      action: 'proposal.open',
      namespace: { id: row.namespace_id, slug: address.namespace },
      target: `${address.name}/proposals/${number}`,
      details: { title: stated.title, revision: row.revision },
    });
    return number;
  });
}

/** Throws `too_many_proposals` if the library has as many open ones as it may have. */
async function requireRoom(db: Database, storeId: string): Promise<void> {
  const open = db.selectFrom('proposals').where('store_id', '=', storeId).where('state', '=', 'open');
  if ((await countRows(open)) < LIMITS.proposals.open) return;
  throw new ServiceError(
    'too_many_proposals',
    `The library has ${LIMITS.proposals.open} open proposals, the maximum. Accept, refuse or withdraw some first.`,
  );
}

async function lastNumber(trx: Database, storeId: string): Promise<number> {
  const row = await trx
    .selectFrom('proposals')
    .select((eb) => eb.fn.max('number').as('last'))
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  return Number(row?.last ?? 0);
}

/** Deletes the proposals up to a number that were decided, with their comments and checks. */
async function forgetOldest(trx: Database, storeId: string, until: number): Promise<void> {
  const forgotten = await trx
    .deleteFrom('proposals')
    .where('store_id', '=', storeId)
    .where('number', '<=', until)
    .where('state', '!=', 'open')
    .returning('number')
    .execute();
  if (forgotten.length === 0) return;
  const numbers = forgotten.map(({ number }) => number);
  for (const table of ['proposal_comments', 'proposal_checks'] as const)
    await trx.deleteFrom(table).where('store_id', '=', storeId).where('proposal', 'in', numbers).execute();
}
