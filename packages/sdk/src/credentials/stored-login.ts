import { encryptedFile } from './encrypted-file.ts';
import { macosKeychain } from './macos-keychain.ts';
import { secretService } from './secret-service.ts';
import { PlaceUnavailable, type TokenPlace } from './token-place.ts';

export interface StorageOptions {
  folder: string;
  environment: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
  warn(text: string): void;
}

/** A token and the place where it is stored. */
export interface KeptToken {
  token: string;
  place: TokenPlace;
}

/**
 * Returns the token of the last login, or null. Storing a token in a keychain clears the encrypted file, so a token in
 * the file is the newer one and is read first, without waiting for a keychain.
 */
export async function readStoredToken(options: StorageOptions): Promise<KeptToken | null> {
  const places = [encryptedFile(options.folder), keychain(options)].filter((place) => place !== null);
  for (const place of places) {
    try {
      const token = await place.read();
      if (token !== null) return { token, place };
    } catch (error) {
      reportReading(error, place, options);
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
      if (!(error instanceof PlaceUnavailable)) throw error;
      if (error.hindrance !== 'not installed')
        options.warn(`${reason(error, preferred)} The token is kept in ${file.name}.`);
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
      if (!(error instanceof PlaceUnavailable)) throw error;
      if (error.hindrance !== 'not installed')
        options.warn(`${reason(error, place)} A token may still be kept there.`);
    }
  }
  return cleared;
}

function keychain(options: StorageOptions): TokenPlace | null {
  return options.environment.BINDERY_NO_KEYCHAIN === '1' ? null : systemKeychain(options);
}

function systemKeychain({ environment, platform = process.platform }: StorageOptions): TokenPlace | null {
  if (platform === 'darwin') return macosKeychain(environment);
  if (platform === 'linux') return secretService(environment);
  return null;
}

/** Does not report a keychain that fails at once: that is normal on a machine without a desktop. */
function reportReading(error: unknown, place: TokenPlace, { warn }: StorageOptions): void {
  if (!(error instanceof PlaceUnavailable)) throw error;
  if (error.hindrance === 'no answer') warn(`${reason(error, place)} BINDERY_NO_KEYCHAIN=1 skips it.`);
  else if (place.kind === 'file') warn(`${error.message} Sign in again.`);
}

function reason(error: PlaceUnavailable, place: TokenPlace): string {
  return error.hindrance === 'no answer'
    ? `No answer from ${place.name} within three seconds.`
    : error.message;
}
