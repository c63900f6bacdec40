import { encryptedFile } from './encrypted-file.ts';
import { macosKeychain, secretService } from './keychains.ts';
import { type TokenStore, TokenStoreUnavailableError } from './token-store.ts';

export interface StorageOptions {
  folder: string;
  environment: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
  /** By default that of the server last signed in to. */
  account?: string;
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
  const places = [encryptedFile(options.folder, options.account), keychain(options)].filter(
    (store) => store !== null,
  );
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
  const file = encryptedFile(options.folder, options.account);
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
  const places = [encryptedFile(options.folder, options.account), systemKeychain(options)].filter(
    (place) => place !== null,
  );
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

function systemKeychain(options: StorageOptions): TokenStore | null {
  const { environment, account, platform = process.platform } = options;
  if (platform === 'darwin') return macosKeychain(environment, account);
  if (platform === 'linux') return secretService(environment, account);
  return null;
}

/** Does not report a keychain without a session to run in, which is normal on a machine without a desktop. */
function warnOfReadFailure(error: unknown, place: TokenStore, options: StorageOptions): void {
  const { environment, warn } = options;
  if (!(error instanceof TokenStoreUnavailableError)) throw error;
  if (error.reason === 'no answer')
    warn(`${describeUnavailable(error, place)} BINDERY_NO_KEYCHAIN=1 skips it.`);
  else if (place.kind === 'file') warn(`${error.message} Sign in again.`);
  else if (error.reason === 'refused' && hasDesktop(environment))
    warn(`${error.message} A login that is stored there is not used.`);
}

/** Whether a keychain is expected to run: `secret-tool` reaches it over the session's bus. */
function hasDesktop({ DBUS_SESSION_BUS_ADDRESS, DISPLAY, WAYLAND_DISPLAY }: NodeJS.ProcessEnv): boolean {
  return [DBUS_SESSION_BUS_ADDRESS, DISPLAY, WAYLAND_DISPLAY].some(Boolean);
}

function describeUnavailable(error: TokenStoreUnavailableError, place: TokenStore): string {
  return error.reason === 'no answer' ? `No answer from ${place.name} within three seconds.` : error.message;
}
