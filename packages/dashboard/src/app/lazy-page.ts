import { NetworkError } from '@bindery/sdk/browser';
import { lazyRouteComponent } from '@tanstack/react-router';
import { untilReached } from './connection.ts';

/**
 * A page whose code is fetched when it is first opened, as soon as the service is there. Code that a newer service no longer has
 * fails, and the router loads the whole app anew.
 */
export function lazyPage<T extends Record<string, unknown>, K extends keyof T & string>(
  load: () => Promise<T>,
  name: K,
) {
  const patient = () =>
    untilReached(async () => {
      try {
        return await load();
      } catch (error) {
        await requireService(error);
        throw error;
      }
    });
  return lazyRouteComponent(patient, name);
}

/** Throws a `NetworkError` where nobody answers. */
async function requireService(cause: unknown): Promise<void> {
  try {
    await fetch('/app/', { method: 'HEAD', credentials: 'omit', cache: 'no-store' });
  } catch {
    throw new NetworkError(location.origin, `${location.origin} cannot be reached.`, { reason: null, cause });
  }
}
