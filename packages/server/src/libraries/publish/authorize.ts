import {
  type BodyOf,
  describeReceived,
  LIMITS,
  type ResponseOf,
  type routes,
  type Transfer,
  type UploadPart,
  uploadPathProblem,
} from '@bindery/contract';
import type { LibraryAddress, LibraryRow, PublishTarget } from '../../access/libraries.ts';
import { requireAccount, type Viewer } from '../../access/viewer.ts';
import type { Context, DatabaseContext, MaintenanceContext } from '../../context.ts';
import { invalidParameter, libraryInTrash, type ServiceError } from '../../errors.ts';
import { claimLibraryStore } from '../../objects/library-store.ts';
import { openRevision, unlessContentLost } from '../../objects/open-revision.ts';
import { leaseObjects } from '../../objects/retention/doomed-objects.ts';
import { markForReclaim } from '../../objects/retention/retire.ts';
import {
  type AnnouncedUpload,
  contentsOf,
  type DirectUpload,
  type StoredObject,
} from '../../objects/store.ts';
import { namedPath, proposedPath, recentlyUploadedAt } from '../../objects/uploads.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { withQuotaNotifications } from '../quotas/quota.ts';
import { requireRoomForUploads } from '../quotas/room.ts';
import { announceDirect } from './direct-uploads.ts';
import { beginOrResume, partNumbers, sizeOfPart } from './multipart.ts';
import { insertReceipts } from './receive.ts';

type AuthorizeUploads = typeof routes.uploads.authorizeUploads;
/** Seconds for which an upload URL is valid: long enough for a batch of 10 GiB over a slow connection. */
const UPLOAD_URL_TTL = LIMITS.presignTtl.max;

/**
 * Returns for each file of a batch, in the requested order, how to transfer its bytes. Those that are `proposed` are no
 * uploads of a register.
 */
export async function authorizeUploads(
  context: Context,
  viewer: Viewer,
  target: PublishTarget,
  { files, verify = false }: BodyOf<AuthorizeUploads>,
  { proposed = false } = {},
): Promise<ResponseOf<AuthorizeUploads>> {
  const { accountId } = requireAccount(viewer);
  const { row } = target;
  const library = { namespace: target.namespace.slug, name: target.name };
  await checkBatch(files);
  if (row?.state === 'deleted') throw libraryInTrash();
  const storeId = await claimLibraryStore(context.db, library);
  const announced = files.map((file) => {
    const upload = announce(storeId, accountId, file);
    return proposed ? { ...upload, path: proposedPath(upload.path) } : upload;
  });
  const withHash = announced.flatMap(({ path, size, sha256 }) =>
    sha256 === null ? [] : [{ path, size, sha256 }],
  );
  const held = await findAvailableContent(context, storeId, row, withHash, { verify });
  const isHeld = ({ sha256 }: AnnouncedUpload) => sha256 !== null && held.has(sha256);
  const wantedAnew = announced.filter((upload) => !isHeld(upload));
  await withQuotaNotifications(context, () => requireRoomForUploads(context, target, storeId, wantedAnew));
  await recordAvailableContent(context, announced, held);

  const uploads = await withDirect(context, storeId, announced, held);
  const transfers: ResponseOf<AuthorizeUploads>['files'] = [];
  for (const upload of uploads) {
    transfers.push({
      relativePath: namedPath(upload.path),
      transfer: await transferOf(context, library, upload, held),
    });
    if (turnIsOver()) await nextTurn();
  }
  const wanted = announced.map(({ size }, at) => bytesWanted(transfers[at]?.transfer, size));
  await context.objects.requireRoom(sum(wanted));
  const uncounted = wanted.filter((_, at) => !isDirect(context, announced[at], held));
  await context.uploadAllowance.require(accountId, sum(uncounted));
  return { files: transfers };
}

function isDirect(
  { objects }: MaintenanceContext,
  upload: AnnouncedUpload | undefined,
  held: ReadonlySet<string>,
): boolean {
  if (upload === undefined || (upload.sha256 !== null && held.has(upload.sha256))) return false;
  return objects.acceptsDirectUpload(upload);
}

/**
 * Announces uploads that bypass the service. They are counted before they get a URL, because nothing counts them when
 * they arrive.
 */
async function withDirect(
  context: Context,
  storeId: string,
  announced: readonly AnnouncedUpload[],
  held: ReadonlySet<string>,
): Promise<(AnnouncedUpload | DirectUpload)[]> {
  const { objects, uploadAllowance } = context;
  const past = announced.filter((upload) => isDirect(context, upload, held));
  using _expected = await uploadAllowance.reserve(past);
  await uploadAllowance.add(past);
  if (!objects.hasStaging && announced.length > 0) await markForReclaim(context, storeId);
  const single = past.filter(({ size }) => size < LIMITS.multipartFrom);
  const direct = await announceDirect(context, storeId, single);
  const byPath = new Map(direct.map((upload) => [upload.path, upload]));
  return announced.map((upload) => byPath.get(upload.path) ?? upload);
}

function announce(
  storeId: string,
  account: string,
  { relativePath, size, sha256 }: BatchedFile,
): AnnouncedUpload {
  return { storeId, account, path: relativePath, size, sha256: sha256 ?? null };
}

/** Records contents that need no transfer as received at their paths now. */
async function recordAvailableContent(
  { db, clock }: DatabaseContext,
  announced: readonly AnnouncedUpload[],
  held: ReadonlySet<string>,
): Promise<void> {
  const received = announced.flatMap(({ storeId, path, size, sha256 }) =>
    sha256 !== null && held.has(sha256) ? [{ storeId, path, sha256, size, isPresent: true }] : [],
  );
  await insertReceipts({ db, clock }, received);
}

async function transferOf(
  context: Context,
  library: LibraryAddress,
  upload: AnnouncedUpload | DirectUpload,
  held: ReadonlySet<string>,
): Promise<Transfer> {
  if (upload.sha256 !== null && held.has(upload.sha256)) return { kind: 'present' };
  if (upload.size < LIMITS.multipartFrom) {
    return { kind: 'single-put', put: context.objects.presignPut(upload, UPLOAD_URL_TTL) };
  }
  return multipartTransfer(context, library, upload);
}

function bytesWanted(transfer: Transfer | undefined, size: number): number {
  switch (transfer?.kind) {
    case 'single-put':
      return size;
    case 's3-multipart':
      return sum(transfer.parts.map((part) => part.size));
    default:
      return 0;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Returns URLs for only those parts that have not arrived yet. */
async function multipartTransfer(
  context: Context,
  { namespace, name }: LibraryAddress,
  announced: AnnouncedUpload,
): Promise<Transfer> {
  const upload = { ...announced, ...(await beginOrResume(context, announced)) };
  const stored = new Set((await context.objects.storedParts(upload)).map(({ partNumber }) => partNumber));
  const url = `${context.publicUrl()}/namespaces/${namespace}/libraries/${name}/uploads/${upload.uploadId}`;
  const wanted: UploadPart[] = [];
  for (const partNumber of partNumbers(upload)) {
    if (stored.has(partNumber)) continue;
    const presigned = context.objects.presignPart(upload, partNumber, UPLOAD_URL_TTL);
    wanted.push({ partNumber, size: sizeOfPart(upload, partNumber), ...presigned });
    if (turnIsOver()) await nextTurn();
  }
  return {
    kind: 's3-multipart',
    uploadId: upload.uploadId,
    partSize: upload.partSize,
    parts: wanted,
    complete: { method: 'POST', url: `${url}/complete` },
    abort: { method: 'DELETE', url },
  };
}

type HashedFile = StoredObject & { path: string };
type BatchedFile = BodyOf<typeof routes.uploads.authorizeUploads>['files'][number];

/** Checks what the schema cannot express: canonical, distinct paths, and the byte limit of a batch. */
async function checkBatch(files: readonly BatchedFile[]): Promise<void> {
  const places = new Map<string, number>();
  let bytes = 0;
  for (const [at, { relativePath, size }] of files.entries()) {
    const problem = uploadPathProblem(relativePath);
    if (problem !== null) throw badPath(at, relativePath, problem);
    const earlier = places.get(relativePath);
    if (earlier !== undefined) throw badPath(at, relativePath, `is already listed at /files/${earlier}`);
    places.set(relativePath, at);
    bytes += size;
    if (turnIsOver()) await nextTurn();
  }
  if (bytes > LIMITS.uploadBatch.bytes) {
    throw invalidParameter(
      '/files',
      `/files: the files of a batch have at most ${LIMITS.uploadBatch.bytes} bytes together (received ${bytes}).`,
    );
  }
}

function badPath(at: number, path: string, problem: string): ServiceError {
  const pointer = `/files/${at}/relativePath`;
  return invalidParameter(pointer, `${pointer}: ${describeReceived(path)} ${problem}.`);
}

/**
 * Returns the hashes of contents that a register of this library would find, and that nothing deletes before: they are
 * staged (which renews their time in the staging area), were sent within the last day and are stored (in a store without
 * a staging area, or because a register promoted them and then failed, as for a quota), or belong to the current
 * revision. The latter two are leased for a day, in case the next revision does not have them.
 *
 * Other stored objects do not count, because they may belong to an old revision whose grace period is about to end,
 * unless what the current revision consists of is lost: then all of them do, and are leased. Objects that are missing or
 * known to be damaged never count; `verify` reads all but the staged ones. Throws `unavailable` if that takes too long.
 */
async function findAvailableContent(
  context: Context,
  storeId: string,
  library: LibraryRow | null,
  contents: readonly HashedFile[],
  { verify }: { verify: boolean },
): Promise<ReadonlySet<string>> {
  if (contents.length === 0) return new Set();
  const staged = await context.objects.findStaged(storeId, contents);
  const isPublished = library === null ? () => false : await publishedBy(context, library);
  const others = contents.filter(({ sha256 }) => !staged.has(sha256));
  const uploaded = await uploadedContent(context, storeId, others);
  const published = others.filter((content) => uploaded.has(content.sha256) || isPublished(content));
  if (published.length === 0) return staged;
  const { contentChecks, db, clock } = context;
  const hashes = published.map(({ sha256 }) => sha256);
  const leased = await leaseObjects(db, storeId, hashes, clock());
  // Checked after the lease, so that what is found stays.
  const lost = await (verify
    ? contentChecks.findLost(storeId, published)
    : contentChecks.findKnownLost(storeId, published));
  const intact = published.filter(({ sha256 }) => leased.has(sha256) && !lost.has(sha256));
  return new Set([...staged, ...intact.map(({ sha256 }) => sha256)]);
}

async function publishedBy(
  context: MaintenanceContext,
  library: LibraryRow,
): Promise<(content: StoredObject) => boolean> {
  const opened = await unlessContentLost(openRevision(context, library));
  if (opened === null) return () => true;
  const { row, index } = opened;
  return ({ sha256, size }) => sha256 === row.manifest_sha256 || index.files.sizeOfContent(sha256) === size;
}

/** Returns recent uploads that are stored as objects. */
async function uploadedContent(
  { db, objects }: MaintenanceContext,
  storeId: string,
  contents: readonly HashedFile[],
): Promise<ReadonlySet<string>> {
  const recent = await recentlyUploadedAt({ db, storeId }, contents);
  const sent = contents.filter(({ sha256 }) => recent.has(sha256));
  const absent = new Set(await objects.findAbsent(storeId, contentsOf(sent)));
  return new Set(sent.flatMap(({ sha256 }, at) => (absent.has(at) ? [] : [sha256])));
}
