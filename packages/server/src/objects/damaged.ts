import { isMissing } from './missing.ts';
import type { ObjectAddress } from './store.ts';

/** An object whose bytes no longer match the hash that names it. */
export class ObjectDamaged extends Error {
  override readonly name = 'ObjectDamaged';

  constructor({ storeId, sha256 }: ObjectAddress) {
    super(`the object ${sha256} of the store ${storeId} is damaged`);
  }
}

/** Whether an object could not be read because its bytes are missing or damaged. */
export function isLost(error: unknown): boolean {
  return isDamage(error) || isMissing(error);
}

/** Whether an object's bytes are damaged; those that a failing disk cannot read count as such. */
export function isDamage(error: unknown): boolean {
  return error instanceof ObjectDamaged || (error as NodeJS.ErrnoException | null)?.code === 'EIO';
}

/** Returns null if an object is missing or damaged. */
export async function unlessLost<Value>(operation: Promise<Value>): Promise<Value | null> {
  try {
    return await operation;
  } catch (error) {
    if (isLost(error)) return null;
    throw error;
  }
}
