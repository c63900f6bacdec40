/** The names under which a token is stored, in keychains and in the encrypted file. */
export const SERVICE_NAME = 'bindery';
export const ACCOUNT_NAME = 'bindery-token';

/** The account under which the login of a server is stored that is not the one last signed in to. */
export const accountOfServer = (server: string): string => `${ACCOUNT_NAME}@${server}`;

/** A place where the token of a login can be stored. */
export interface TokenStore {
  /** Its name in a sentence: "the Secret Service". */
  readonly name: string;
  readonly kind: 'keychain' | 'file';
  /** Returns the token, or null if none is stored here. Throws `TokenStoreUnavailableError`. */
  read(): Promise<string | null>;
  /** Replaces the token that is stored here. Throws `TokenStoreUnavailableError`. */
  write(token: string): Promise<void>;
  /** Removes the token that is stored here; returns whether there was one. Throws `TokenStoreUnavailableError`. */
  clear(): Promise<boolean>;
}

/** The machine has no such place, it did not respond in time, or it reported a failure. */
export type UnavailableReason = 'not installed' | 'no answer' | 'refused';

/** The place cannot be used now. */
export class TokenStoreUnavailableError extends Error {
  readonly reason: UnavailableReason;

  constructor(reason: UnavailableReason, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.reason = reason;
  }
}
