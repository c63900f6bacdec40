import { lazyRouteComponent } from '@tanstack/react-router';
import { retryWhileUnreachable, unreachable } from './connection.ts';

/**
 * A page whose code is fetched when it is first opened, retrying while the service is unreachable. If a newer service
 * no longer has the code, loading fails and the router reloads the whole app.
 */
export function lazyPage<T extends Record<string, unknown>, K extends keyof T & string>(
  load: () => Promise<T>,
  name: K,
) {
  const patient = () =>
    retryWhileUnreachable(async () => {
      try {
        return await load();
      } catch (error) {
        await requireService(error);
        throw error;
      }
    });
  return lazyRouteComponent(patient, name);
}

/** Throws a `NetworkError` if the service does not respond. */
async function requireService(cause: unknown): Promise<void> {
  try {
    await fetch('/app/', { method: 'HEAD', credentials: 'omit', cache: 'no-store' });
  } catch {
    throw unreachable(location.origin, cause);
  }
}
