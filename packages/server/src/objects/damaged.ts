import { isMissing } from './missing.ts';
import type { ObjectAddress } from './store.ts';

/** An object whose bytes no longer match the hash that names it. */
export class ObjectDamaged extends Error {
  override readonly name = 'ObjectDamaged';

  readonly object: ObjectAddress;

  constructor(object: ObjectAddress, options?: ErrorOptions) {
    super(`the object ${object.sha256} of the store ${object.storeId} is damaged`, options);
    this.object = object;
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

/** Throws `ObjectDamaged` if `operation`, which reads an object, fails because its bytes are damaged. */
export async function namingDamaged<Value>(object: ObjectAddress, operation: Promise<Value>): Promise<Value> {
  try {
    return await operation;
  } catch (error) {
    throw isDamage(error) ? new ObjectDamaged(object, { cause: error }) : error;
  }
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
