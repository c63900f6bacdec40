import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { BoundedQueue, WorkerFailure } from '@bindery/concurrency';
import { invalidParameter, ServiceError } from '../errors.ts';
import { PASSWORD_COST } from './password-cost.ts';

export const PASSWORD_LENGTH = { min: 8, max: 200 } as const;

const KEY_BYTES = 32;

/** Hashing shares the thread pool with file access, so few run at once and the queue is short. */
const hashing = new BoundedQueue({ concurrency: 2, maxWaiting: 64 });

const scryptOf: (password: string, salt: Buffer, bytes: number, options: ScryptOptions) => Promise<Buffer> =
  promisify(scrypt);

/** Throws `invalid_parameter` if the password is too short, or too long to hash at a reasonable cost. */
export function requireAcceptablePassword(password: string, parameter = 'password'): void {
  const { min, max } = PASSWORD_LENGTH;
  const length = [...password].length;
  if (length >= min && length <= max) return;
  throw invalidParameter(
    parameter,
    `${parameter}: at least ${min} and at most ${max} characters (received ${length}).`,
  );
}

/** Returns `scrypt$N$r$p$salt$key`, with salt and key in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, KEY_BYTES, PASSWORD_COST);
  const { N, r, p } = PASSWORD_COST;
  return ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** Whether the password matches the hash; false for a hash of another format. */
export async function verifyPassword(hash: string, password: string): Promise<boolean> {
  const [scheme, N, r, p, salt, key] = hash.split('$');
  if (scheme !== 'scrypt' || !salt || !key) return false;
  const expected = Buffer.from(key, 'base64url');
  const found = await derive(password, Buffer.from(salt, 'base64url'), expected.length, {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  });
  return timingSafeEqual(expected, found);
}

async function derive(password: string, salt: Buffer, bytes: number, cost: ScryptOptions): Promise<Buffer> {
  const options = { ...cost, maxmem: 64 * 1024 * 1024 };
  const hash = () => scryptOf(password.normalize('NFKC'), salt, bytes, options);
  try {
    return await hashing.run(hash);
  } catch (error) {
    if (!(error instanceof WorkerFailure)) throw error;
    throw new ServiceError('unavailable', 'Too many people are signing in. Try again in a moment.');
  }
}
