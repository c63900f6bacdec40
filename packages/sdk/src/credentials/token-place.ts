/** Under these names a token is kept, in keychains and in the encrypted file. */
export const SERVICE_NAME = 'bindery';
export const ACCOUNT_NAME = 'bindery-token';

/** One place where the token of a login may be kept. */
export interface TokenPlace {
  /** As a sentence names it: "the Secret Service". */
  readonly name: string;
  readonly kind: 'keychain' | 'file';
  /** The token, or null if none is kept here. Throws `PlaceUnavailable`. */
  read(): Promise<string | null>;
  /** Replaces what is kept here. Throws `PlaceUnavailable`. */
  write(token: string): Promise<void>;
  /** Removes what is kept here; answers whether there was anything. Throws `PlaceUnavailable`. */
  clear(): Promise<boolean>;
}

/** The machine has no such place, it did not answer in time, or it answered that it cannot. */
export type Hindrance = 'not installed' | 'no answer' | 'refused';

/** The place cannot be used now. */
export class PlaceUnavailable extends Error {
  readonly hindrance: Hindrance;

  constructor(hindrance: Hindrance, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.hindrance = hindrance;
  }
}
