import { LIMITS } from '@bindery/contract';
import {
  type LogEntry,
  parseStatement,
  SignatureError,
  SignatureLog,
  type SignedRelease,
} from '@bindery/contract/signatures';
import { type LibraryAddress, lockLibraryForWrite, type ReadableLibrary } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import { actorOf, recordAudit } from '../../audit/audit-log.ts';
import type { Context } from '../../context.ts';
import type { Database } from '../../database/schema.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { lockStore } from '../../objects/library-store.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { findRelease } from './read.ts';

/** Returns the signature log of a library, the first entry first. */
export function readSignatures({ db }: Pick<Context, 'db'>, { row }: ReadableLibrary): Promise<LogEntry[]> {
  return db
    .selectFrom('signatures')
    .select(['statement', 'signature'])
    .where('store_id', '=', row.store_id)
    .orderBy('entry')
    .limit(LIMITS.signatures.entries)
    .execute();
}

/**
 * Adds an entry to the signature log of an active library. It is verified as clients do, so that nobody who may publish
 * can leave a log that they refuse. The same entry again changes nothing. Throws the errors that the route lists.
 */
export function addSignature(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  viewer: Viewer,
  address: LibraryAddress,
  entry: LogEntry,
): Promise<LogEntry> {
  return db.transaction().execute(async (trx) => {
    const library = await lockLibraryForWrite(trx, viewer, address);
    const { state, store_id, namespace_id } = library.row;
    if (state !== 'active') throw notFound();
    await lockStore(trx, store_id);
    const log = new SignatureLog(`${address.namespace}/${address.name}`);
    for (const stored of await readSignatures({ db: trx }, library)) {
      if (stored.statement === entry.statement && stored.signature === entry.signature) return entry;
      log.append(stored, { stored: true });
      if (turnIsOver()) await nextTurn();
    }
    const place = log.entries.length;
    appendNew(log, entry);
    const { action } = parseStatement(entry.statement);
    if (action.kind === 'release') await requireReleased(trx, library, action.release);
    await trx
      .insertInto('signatures')
      .values({ store_id, entry: place, ...entry })
      .execute();
    await recordAudit(trx, clock(), actorOf(viewer), {
      action: 'signature.add',
      namespace: { id: namespace_id, slug: address.namespace },
      target: address.name,
      details: { entry: place, kind: action.kind },
    });
    return entry;
  });
}

function appendNew(log: SignatureLog, entry: LogEntry): void {
  try {
    log.append(entry);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    const { problem, message } = error;
    const isLate = problem === 'other_place' || problem === 'other_history';
    throw new ServiceError(isLate ? 'signature_conflict' : 'signature_refused', message, { problem });
  }
}

async function requireReleased(
  trx: Database,
  library: ReadableLibrary,
  { name, revision, manifest }: SignedRelease,
): Promise<void> {
  const release = await findRelease(trx, library, name);
  if (
    release?.revision === revision &&
    release.manifest.sha256 === manifest.sha256 &&
    release.manifest.size === manifest.size
  )
    return;
  throw new ServiceError('signature_refused', `There is no release ${name} with this revision and manifest.`);
}
