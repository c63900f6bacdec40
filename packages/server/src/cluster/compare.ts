/** What a server reports about itself to the others that use the same database. */
export interface ServerState {
  id: string;
  /** Where its objects are stored. */
  store: string;
  /** The model that encodes queries; null if there is none. */
  model: string | null;
  /** Milliseconds by which its clock is ahead of the database's. */
  skew: number;
  /** By the clock of the database, in milliseconds since 1970. */
  startedAt: number;
}

/** How a server differs from another running one. */
export interface Difference {
  part: 'store' | 'model' | 'clock';
  from: ServerState;
}

/** How far the clocks of servers can differ, in milliseconds. */
export const MAX_SKEW = 30_000;

/**
 * Returns how a server differs from the reference among all running servers, so that there is always one without
 * differences. `encodes`: whether the server handles searches and therefore should have the same model.
 */
export function differencesOf(
  self: ServerState,
  others: readonly ServerState[],
  { encodes }: { encodes: boolean },
): Difference[] {
  const from = findReference([self, ...others]);
  const parts = [
    from.store !== self.store && 'store',
    encodes && from.model !== self.model && 'model',
    Math.abs(from.skew - self.skew) > MAX_SKEW && 'clock',
  ] as const;
  return parts.filter((part) => part !== false).map((part) => ({ part, from }));
}

/**
 * Returns the reference: of the servers whose clock agrees with the database's, and of these the ones with a model, the
 * first that started. A criterion that no server meets is skipped.
 */
function findReference(servers: readonly ServerState[]): ServerState {
  const inTime = filterOrAll(servers, ({ skew }) => Math.abs(skew) <= MAX_SKEW / 2);
  const encoding = filterOrAll(inTime, ({ model }) => model !== null);
  return encoding.reduce((first, server) => (isBefore(server, first) ? server : first));
}

/** Returns the servers for which `isSo` is true, or all if there are none. */
function filterOrAll(
  servers: readonly ServerState[],
  isSo: (server: ServerState) => boolean,
): readonly ServerState[] {
  const found = servers.filter(isSo);
  return found.length > 0 ? found : servers;
}

function isBefore(one: ServerState, other: ServerState): boolean {
  return one.startedAt < other.startedAt || (one.startedAt === other.startedAt && one.id < other.id);
}
