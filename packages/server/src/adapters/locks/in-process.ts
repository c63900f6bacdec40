import { type ServiceError, unavailable } from '../../errors.ts';
import type { StoreLocks } from '../../objects/store.ts';

/** How many callers can wait for one store, and how long (milliseconds). */
const MAX_WAITING = 200;
const MAX_WAIT = 60_000;

interface Waiter {
  admit(): void;
}

/** Creates locks for a service that is one process. */
export function createInProcessLocks(): StoreLocks {
  const held = new Set<string>();
  const queues = new Map<string, Waiter[]>();

  async function enter(storeId: string): Promise<void> {
    if (!held.has(storeId)) {
      held.add(storeId);
      return;
    }
    const queue = queues.get(storeId) ?? [];
    if (queue.length >= MAX_WAITING) throw storeBusyError();
    queues.set(storeId, queue);
    await new Promise<void>((resolve, reject) => {
      const waiter = {
        admit() {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(waiter), 1);
        reject(storeBusyError());
      }, MAX_WAIT);
      queue.push(waiter);
    });
  }

  function leave(storeId: string): void {
    const queue = queues.get(storeId);
    const next = queue?.shift();
    if (next) next.admit();
    else held.delete(storeId);
    if (queue?.length === 0) queues.delete(storeId);
  }

  return {
    async withLock(storeId, work) {
      await enter(storeId);
      try {
        return await work();
      } finally {
        leave(storeId);
      }
    },
    close: async () => {},
  };
}

export function storeBusyError(): ServiceError {
  return unavailable('Another change to this library is in progress. Try again.', 5);
}
