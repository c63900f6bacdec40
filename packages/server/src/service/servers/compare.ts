/** What a server says of itself to the others over the same database. */
export interface ServerState {
  id: string;
  /** Where its objects are. */
  store: string;
  /** The model that encodes queries; null: none. */
  model: string | null;
  /** Milliseconds by which its clock is ahead of the database's. */
  skew: number;
  /** By the clock of the database, in milliseconds since 1970. */
  startedAt: number;
}

/** In what a server differs from another one that runs. */
export interface Difference {
  part: 'store' | 'model' | 'clock';
  from: ServerState;
}

/** Milliseconds by which clocks of servers may differ. */
export const MAX_SKEW = 30_000;

/**
 * How a server differs from the one by which all that run are measured, so that there is always one that differs from
 * nothing. `encodes`: whether it answers searches, and so should have the same model.
 */
export function differencesOf(
  self: ServerState,
  others: readonly ServerState[],
  { encodes }: { encodes: boolean },
): Difference[] {
  const from = measureOf([self, ...others]);
  const parts = [
    from.store !== self.store && 'store',
    encodes && from.model !== self.model && 'model',
    Math.abs(from.skew - self.skew) > MAX_SKEW && 'clock',
  ] as const;
  return parts.filter((part) => part !== false).map((part) => ({ part, from }));
}

/** The first that started, of those with a model, of those whose clock agrees with the database's, as far as there are such. */
function measureOf(servers: readonly ServerState[]): ServerState {
  const inTime = some(servers, ({ skew }) => Math.abs(skew) <= MAX_SKEW / 2);
  const encoding = some(inTime, ({ model }) => model !== null);
  return encoding.reduce((first, server) => (isBefore(server, first) ? server : first));
}

/** Those of which something is true, or all where it is true of none. */
function some(
  servers: readonly ServerState[],
  isSo: (server: ServerState) => boolean,
): readonly ServerState[] {
  const found = servers.filter(isSo);
  return found.length > 0 ? found : servers;
}

function isBefore(one: ServerState, other: ServerState): boolean {
  return one.startedAt < other.startedAt || (one.startedAt === other.startedAt && one.id < other.id);
}
