import { encryptedFile } from './encrypted-file.ts';
import { macosKeychain } from './macos-keychain.ts';
import { secretService } from './secret-service.ts';
import { type TokenStore, TokenStoreUnavailableError } from './token-store.ts';

export interface StorageOptions {
  folder: string;
  environment: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
  warn(text: string): void;
}

/** A token and the place where it is stored. */
export interface StoredToken {
  token: string;
  store: TokenStore;
}

/**
 * Returns the token of the last login, or null. Storing a token in a keychain clears the encrypted file, so a token in
 * the file is the newer one and is read first, without waiting for a keychain.
 */
export async function readStoredToken(options: StorageOptions): Promise<StoredToken | null> {
  const places = [encryptedFile(options.folder), keychain(options)].filter((store) => store !== null);
  for (const store of places) {
    try {
      const token = await store.read();
      if (token !== null) return { token, store };
    } catch (error) {
      warnOfReadFailure(error, store, options);
    }
  }
  return null;
}

/** Stores the token in the system's keychain, or else in the encrypted file; returns the name of the place. */
export async function storeToken(token: string, options: StorageOptions): Promise<string> {
  const file = encryptedFile(options.folder);
  const preferred = keychain(options);
  if (preferred) {
    try {
      await preferred.write(token);
      await file.clear();
      return preferred.name;
    } catch (error) {
      if (!(error instanceof TokenStoreUnavailableError)) throw error;
      if (error.reason !== 'not installed')
        options.warn(`${describeUnavailable(error, preferred)} The token is kept in ${file.name}.`);
    }
  }
  await file.write(token);
  return file.name;
}

/** Removes the token from every place where it could be; returns the names of those that held one. */
export async function clearStoredToken(options: StorageOptions): Promise<string[]> {
  const places = [encryptedFile(options.folder), systemKeychain(options)].filter((place) => place !== null);
  const cleared: string[] = [];
  for (const place of places) {
    try {
      if (await place.clear()) cleared.push(place.name);
    } catch (error) {
      if (!(error instanceof TokenStoreUnavailableError)) throw error;
      if (error.reason !== 'not installed')
        options.warn(`${describeUnavailable(error, place)} A token may still be kept there.`);
    }
  }
  return cleared;
}

function keychain(options: StorageOptions): TokenStore | null {
  return options.environment.BINDERY_NO_KEYCHAIN === '1' ? null : systemKeychain(options);
}

function systemKeychain({ environment, platform = process.platform }: StorageOptions): TokenStore | null {
  if (platform === 'darwin') return macosKeychain(environment);
  if (platform === 'linux') return secretService(environment);
  return null;
}

/** Does not report a keychain that fails at once: that is normal on a machine without a desktop. */
function warnOfReadFailure(error: unknown, place: TokenStore, { warn }: StorageOptions): void {
  if (!(error instanceof TokenStoreUnavailableError)) throw error;
  if (error.reason === 'no answer')
    warn(`${describeUnavailable(error, place)} BINDERY_NO_KEYCHAIN=1 skips it.`);
  else if (place.kind === 'file') warn(`${error.message} Sign in again.`);
}

function describeUnavailable(error: TokenStoreUnavailableError, place: TokenStore): string {
  return error.reason === 'no answer' ? `No answer from ${place.name} within three seconds.` : error.message;
}
