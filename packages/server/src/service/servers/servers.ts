import type { Difference } from './compare.ts';

/** The servers over one database. */
export interface Servers {
  /** How this one differs from others that run, so that it may not serve beside them. */
  differences(): Promise<Difference[]>;
  /** Has the others forget it. */
  stop(): Promise<void>;
}

/** Of a service that is one process. */
export const NO_OTHERS: Servers = { differences: async () => [], stop: async () => {} };
