import { createHash } from 'node:crypto';
import { isDamage } from '../objects/damaged.ts';
import { isMissing } from '../objects/missing.ts';
import type { ObjectAddress } from '../objects/store.ts';
import type { ObjectFolder } from './ports.ts';

/** An object that is missing or damaged. */
export interface LostObject {
  library: string;
  sha256: string;
  reason: 'missing' | 'damaged';
}

/** Returns the hashes of a store's objects, with their sizes. */
export async function listSizes(
  folder: Pick<ObjectFolder, 'list'>,
  storeId: string,
): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for await (const { sha256, size } of folder.list(storeId)) sizes.set(sha256, size);
  return sizes;
}

/** Reads an object and reports whether its content matches its hash. */
export async function verifyObject(
  folder: Pick<ObjectFolder, 'stream'>,
  object: ObjectAddress,
): Promise<'intact' | LostObject['reason']> {
  const digest = createHash('sha256');
  try {
    for await (const chunk of folder.stream(object)) digest.update(chunk);
  } catch (error) {
    return reasonOfLoss(error);
  }
  return digest.digest('hex') === object.sha256 ? 'intact' : 'damaged';
}

/** Says how an object is lost that could not be read; throws other errors. */
export function reasonOfLoss(error: unknown): LostObject['reason'] {
  if (isMissing(error)) return 'missing';
  if (isDamage(error)) return 'damaged';
  throw error;
}
