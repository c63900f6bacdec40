import { createHash } from 'node:crypto';
import { LIMITS } from '@bindery/contract';
import { findRevision, type LibraryAddress, loadLibrary, type RevisionRow } from '../access/libraries.ts';
import type { Viewer } from '../access/viewer.ts';
import type { MaintenanceContext } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { openRevision } from '../objects/open-revision.ts';
import { atRetired, releasedRows, retiredRevisions } from '../objects/references.ts';
import type { RevisionIndex } from '../revision/revision-index.ts';

/** A library at a door. `at` is a release, or the commit or number of a revision; without it, the current revision. */
export interface DoorAddress extends LibraryAddress {
  at?: string | number | undefined;
}

/** One revision of a library, from which a request at a door is answered whatever is published meanwhile. */
export interface DoorRevision {
  namespace: string;
  row: RevisionRow;
  index: RevisionIndex;
  /** 40 hexadecimal digits, the same for as long as the content is. */
  commit: string;
  /** Whether the address is of this revision for good. */
  isPermanent: boolean;
}

/**
 * Opens the revision that a client of a door asks for. Where there is nothing for the viewer, it throws
 * `unauthenticated` if nobody is signed in, for clients that send a token only if they are asked to, else `not_found`.
 * It throws `not_found` also for a revision that the library does not have.
 */
export async function openAtDoor(
  context: MaintenanceContext,
  viewer: Viewer,
  { at, ...address }: DoorAddress,
): Promise<DoorRevision> {
  const { row, namespace } = await loadLibraryAtDoor(context, viewer, address);
  if (at === undefined) return { ...(await openRow(context, row)), namespace, isPermanent: false };
  const opened = (await openRelease(context, row, at)) ?? (await openRevisionAt(context, row, at));
  if (opened === null) throw missingAtDoor('revision', 'The library has no such release or commit.');
  return { ...opened, namespace, isPermanent: true };
}

/** Like `loadLibrary`, but asks for a token as `openAtDoor` does. */
export async function loadLibraryAtDoor(
  context: MaintenanceContext,
  viewer: Viewer,
  address: LibraryAddress,
) {
  return loadLibrary(context.db, viewer, address).catch((error: unknown) => {
    throw viewer.kind === 'anonymous' && isNotFound(error) ? unauthenticated() : error;
  });
}

function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'not_found';
}

function unauthenticated(): ServiceError {
  return new ServiceError('unauthenticated', 'Not found, or you do not have access. Send a token.');
}

/** The error for a part of a library that the viewer can read. */
export function missingAtDoor(missing: 'revision' | 'path' | 'asset', message: string): ServiceError {
  return new ServiceError('not_found', message, { missing });
}

/** Returns the commit of a revision: it depends on the library and its manifest alone, so all servers agree. */
export function commitOf(library: Pick<RevisionRow, 'id'>, manifestSha256: string): string {
  return createHash('sha256').update(`${library.id} ${manifestSha256}`).digest('hex').slice(0, 40);
}

type Opened = Pick<DoorRevision, 'row' | 'index' | 'commit'>;

async function openRow(context: MaintenanceContext, asked: RevisionRow): Promise<Opened> {
  const { row, index } = await openRevision(context, asked);
  return { row, index, commit: commitOf(row, row.manifest_sha256) };
}

async function openRelease(
  context: MaintenanceContext,
  { id }: RevisionRow,
  at: string | number,
): Promise<Opened | null> {
  const row = typeof at === 'string' ? await findRevision(context.db, { id, release: at }) : null;
  return row && openRow(context, row);
}

const COMMIT = /^[0-9a-f]{40}$/;

/** Milliseconds for which a replaced revision is served to clients that began with it, as its presigned URLs are. */
const REPLACED_FOR = LIMITS.presignTtl.max * 1_000;

type Revision = Pick<RevisionRow, 'revision' | 'manifest_sha256'>;

/**
 * Opens the revision of this commit or number if it is current or released. One that was replaced a short while ago is
 * opened by its commit alone, which only those know who began with it: a number could be guessed, and what somebody
 * pushed by mistake be read again.
 */
async function openRevisionAt(
  context: MaintenanceContext,
  library: RevisionRow,
  at: string | number,
): Promise<Opened | null> {
  if (typeof at === 'string' && !COMMIT.test(at)) return null;
  const isAsked = ({ revision, manifest_sha256 }: Revision) =>
    revision === at || commitOf(library, manifest_sha256) === at;
  const released = isAsked(library)
    ? library
    : (await releasedRows(context.db, library.store_id)).find(isAsked);
  const row =
    released ?? (typeof at === 'string' ? (await replacedRows(context, library)).find(isAsked) : undefined);
  if (row === undefined) return null;
  const opened = await openRow(context, row).catch((error: unknown) => {
    if (row.isRetired && isNotFound(error)) return null;
    throw error;
  });
  return opened !== null && isAsked(opened.row) ? opened : null;
}

async function replacedRows({ db, clock }: MaintenanceContext, library: RevisionRow): Promise<RevisionRow[]> {
  const replaced = await retiredRevisions(db, library.store_id)
    .where('retired_at', '>=', clock() - REPLACED_FOR)
    .execute();
  return replaced.map((revision) => atRetired(library, revision));
}
