import {
  CERTIFIED_KINDS,
  type Certificate,
  certificate,
  certificatePath,
  certificatePicturePath,
  LIMITS,
  type MadeCertificate,
} from '@bindery/contract';
import type { LibraryRow } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { Context } from '../../context.ts';
import { type ConvertedFile, conversionOf } from '../../conversions/conversions.ts';
import { ServiceError } from '../../errors.ts';
import { unlessLost } from '../../objects/damaged.ts';
import type { RevisionIndex } from '../../revision/revision-index.ts';
import { presignUrl } from './files.ts';

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
