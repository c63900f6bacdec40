import {
  type BodyOf,
  LIMITS,
  type ResponseOf,
  type routes,
  type Transfer,
  type UploadPart,
} from '@bindery/contract';
import type { LibraryAddress, PublishTarget } from '../../access/libraries.ts';
import { requireAccount, type Viewer } from '../../access/viewer.ts';
import type { Context, DatabaseContext, MaintenanceContext } from '../../context.ts';
import { libraryInTrash } from '../../errors.ts';
import { claimLibraryStore } from '../../objects/library-store.ts';
import { markForReclaim } from '../../objects/retention/due.ts';
import type { AnnouncedUpload, DirectUpload } from '../../objects/store.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { withQuotaNotifications } from '../quotas/notify-operators.ts';
import { requireRoomForUploads } from '../quotas/upload-room.ts';
import { findAvailableContent } from './available-content.ts';
import { type BatchedFile, checkBatch } from './batch.ts';
import { announceDirect } from './direct-uploads.ts';
import { beginOrResume } from './multipart.ts';
import { partNumbers, sizeOfPart } from './part-plan.ts';
import { insertReceipts } from './receive.ts';

type AuthorizeUploads = typeof routes.uploads.authorizeUploads;
/** Seconds for which an upload URL is valid: long enough for a batch of 10 GiB over a slow connection. */
const UPLOAD_URL_TTL = LIMITS.presignTtl.max;

/** Returns for each file of a batch, in the requested order, how to transfer its bytes. */
export async function authorizeUploads(
  context: Context,
  viewer: Viewer,
  target: PublishTarget,
  { files, verify = false }: BodyOf<AuthorizeUploads>,
): Promise<ResponseOf<AuthorizeUploads>> {
  const { accountId } = requireAccount(viewer);
  const { row } = target;
  const library = { namespace: target.namespace.slug, name: target.name };
  await checkBatch(files);
  if (row?.state === 'deleted') throw libraryInTrash();
  const storeId = await claimLibraryStore(context.db, library);
  const announced = files.map((file) => announce(storeId, accountId, file));
  const withHash = announced.flatMap(({ size, sha256 }) => (sha256 === null ? [] : [{ size, sha256 }]));
  const held = await findAvailableContent(context, storeId, row, withHash, { verify });
  const isHeld = ({ sha256 }: AnnouncedUpload) => sha256 !== null && held.has(sha256);
  const wantedAnew = announced.filter((upload) => !isHeld(upload));
  await withQuotaNotifications(context, () => requireRoomForUploads(context, target, storeId, wantedAnew));
  await recordAvailableContent(context, announced, held);

  const uploads = await withDirect(context, storeId, announced, held);
  const transfers: ResponseOf<AuthorizeUploads>['files'] = [];
  for (const upload of uploads) {
    transfers.push({ relativePath: upload.path, transfer: await transferOf(context, library, upload, held) });
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
    sha256 !== null && held.has(sha256) ? [{ storeId, path, sha256, size }] : [],
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
