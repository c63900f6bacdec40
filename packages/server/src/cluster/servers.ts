import type { Difference } from './compare.ts';

/** The servers that use one database. */
export interface Servers {
  /**
   * Returns how this server differs from others that are running; with a difference it must not serve alongside them.
   */
  differences(): Promise<Difference[]>;
  /** Makes the others forget this server. */
  stop(): Promise<void>;
}

/** For a service that is a single process. */
export const NO_OTHERS: Servers = { differences: async () => [], stop: async () => {} };
