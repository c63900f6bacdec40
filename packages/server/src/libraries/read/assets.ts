import {
  type AssetDetail,
  CERTIFIED_KINDS,
  type Certificate,
  certificate,
  certificatePath,
  certificatePicturePath,
  clampTtl,
  LIMITS,
  type MadeCertificate,
  type PresignedFile,
} from '@bindery/contract';
import type { LibraryRow, NumberedAddress, RevisionRow } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { Context, MaintenanceContext } from '../../context.ts';
import { type ConvertedFile, conversionOf } from '../../conversions/conversions.ts';
import { assetNotFound, ServiceError } from '../../errors.ts';
import { unlessLost } from '../../objects/damaged.ts';
import { openRevision } from '../../objects/open-revision.ts';
import type { AssetCard, AssetRemainder } from '../../revision/asset-table.ts';
import type { ClosureFile } from '../../revision/file-closure.ts';
import type { RevisionIndex } from '../../revision/revision-index.ts';
import { presignFile, presignUrl } from './files.ts';
import { loadRevision } from './revisions.ts';

/** An asset and, separately, its files. There may be hundreds of thousands, so they are generated one at a time. */
interface AssetReading {
  asset: Omit<AssetDetail, 'files'>;
  fileCount: number;
  files: Iterable<PresignedFile>;
}

/** An asset of a revision: its number in the revision's index. */
export interface OpenedAsset {
  namespace: string;
  row: RevisionRow;
  index: RevisionIndex;
  number: number;
}

/** Resolves a client's address to an asset that the viewer can read. Throws `not_found`, `asset_not_found`. */
export async function loadAsset(
  context: MaintenanceContext,
  viewer: Viewer,
  { assetId, ...address }: NumberedAddress & { assetId: string },
): Promise<OpenedAsset> {
  const library = await loadRevision(context, viewer, address);
  const { row, index } = await openRevision(context, library.row);
  const number = index.indexOfAsset(assetId);
  if (number < 0) throw assetNotFound();
  return { namespace: library.namespace, row, index, number };
}

/** Returns the whole manifest entry of an asset with a presigned URL per file. */
export function readAsset(
  context: Context,
  { row, index, number }: OpenedAsset,
  { ttlSeconds: asked, srcset }: { ttlSeconds?: number | undefined; srcset?: 'true' | 'false' },
): AssetReading {
  const ttlSeconds = clampTtl(asked);
  const { files: _counted, digest: _digest, assetId: id, ...shown } = index.card(number);
  const thumbnail = index.thumbnail(number);
  const places = index.filesOf(number);
  return {
    asset: {
      id,
      ...shown,
      ...index.remainder(number),
      ttlSeconds,
      thumbnailUrl: thumbnail && presignUrl(context.objects, row.store_id, thumbnail, LIMITS.thumbnailTtl),
      ...(srcset === 'true' && {
        thumbnailSrcset:
          thumbnail && context.thumbnailUrls.srcset({ storeId: row.store_id, sha256: thumbnail.sha256 }),
      }),
    },
    fileCount: places.length,
    files: presignAll(context.objects, row.store_id, index, places, ttlSeconds),
  };
}

interface AssetInspection {
  revision: number;
  /** `license` is the effective one. */
  card: AssetCard;
  remainder: Omit<AssetRemainder, 'license'>;
  /** The requested page of its files, in manifest order. */
  files: ClosureFile[];
}

/** Returns the metadata of an asset and a page of its files, without presigned URLs. */
export function inspectAsset(
  { row, index, number }: OpenedAsset,
  { offset, limit }: { offset: number; limit: number },
): AssetInspection {
  const { license: _own, ...remainder } = index.remainder(number);
  const places = index.filesOf(number).subarray(offset, offset + limit);
  return {
    revision: row.revision,
    card: index.card(number),
    remainder,
    files: Array.from(places, (place) => index.files.at(place)),
  };
}

function* presignAll(
  objects: Context['objects'],
  storeId: string,
  { files }: RevisionIndex,
  places: Uint32Array,
  ttlSeconds: number,
): Generator<PresignedFile> {
  for (const place of places) yield presignFile(objects, storeId, files.at(place), ttlSeconds);
}

/** An asset of a revision. */
interface CertifiedAsset {
  row: Pick<LibraryRow, 'store_id' | 'namespace_id'>;
  index: RevisionIndex;
  number: number;
}

/** Larger certificates of publishers are not read. */
const MAX_BYTES = 256 * 1024;

/** Returns the certificates of an asset's files: the publisher's, and the service's own if it has made one. */
export async function readCertificates(context: Context, asset: CertifiedAsset): Promise<MadeCertificate[]> {
  if (!CERTIFIED_KINDS.has(asset.index.card(asset.number).kind)) return [];
  const [publishers, own] = await Promise.all([readPublishers(context, asset), findOwn(context, asset)]);
  return [...(publishers === null ? [] : [publishers]), ...(own === null ? [] : [own])];
}

/**
 * Simulates the robot that an asset opens, or returns what came of that before. Throws `conversion_refused` for what is
 * no robot or cannot be simulated, and what conversions throw.
 */
export async function certify(
  context: Context,
  viewer: Viewer,
  { row, index, number }: CertifiedAsset,
): Promise<MadeCertificate> {
  const { kind } = index.card(number);
  if (!CERTIFIED_KINDS.has(kind)) {
    const message = `The asset cannot be simulated: it is no robot, but of kind ${kind}.`;
    throw new ServiceError('conversion_refused', message, { as: 'certificate', reason: 'it is no robot' });
  }
  const conversion = conversionOf(index, { row, number, as: 'certificate' });
  return madeByService(await context.conversions.read(conversion, viewer));
}

async function readPublishers(
  { objects }: Context,
  { row, index, number }: CertifiedAsset,
): Promise<MadeCertificate | null> {
  const { digest, entry } = index.card(number);
  const id = index.assetId(number);
  const file = index.files.find(certificatePath(id));
  if (file === null || !file.platform || file.size > MAX_BYTES) return null;
  const bytes = await unlessLost(objects.read({ storeId: row.store_id, sha256: file.sha256 }));
  const written = bytes && parse(bytes);
  // What other files did says nothing about these.
  if (written === null || written.digest !== digest || written.file !== entry) return null;
  const picture = index.files.find(certificatePicturePath(id));
  return {
    ...written,
    madeBy: 'publisher',
    pictureUrl: picture && presignUrl(objects, row.store_id, picture, LIMITS.thumbnailTtl),
  };
}

async function findOwn(
  { conversions }: Context,
  { row, index, number }: CertifiedAsset,
): Promise<MadeCertificate | null> {
  if (index.card(number).entry === null) return null;
  const conversion = conversionOf(index, { row, number, as: 'certificate' });
  const found = await conversions.find(conversion);
  return found && madeByService(found);
}

async function madeByService(file: ConvertedFile): Promise<MadeCertificate> {
  const chunks: Buffer[] = [];
  for await (const chunk of file.open()) chunks.push(chunk as Buffer);
  return {
    ...certificate.parse(JSON.parse(Buffer.concat(chunks).toString())),
    madeBy: 'service',
    pictureUrl: null,
  };
}

function parse(bytes: Buffer): Certificate | null {
  try {
    return certificate.safeParse(JSON.parse(bytes.toString())).data ?? null;
  } catch {
    return null;
  }
}
