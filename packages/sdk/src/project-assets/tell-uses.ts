import { LIMITS, routes } from '@bindery/contract/wire';
import type { Client } from '../client/client.ts';
import type { Lock } from './lock.ts';

/**
 * Tells the services which assets a project has begun to pin, so that they can count them; nothing else of the project
 * is sent. A service that does not count, or cannot be reached, is no problem.
 */
export async function tellUses(
  before: Lock | null,
  after: Lock,
  {
    clientFor,
    signal,
  }: { clientFor(server: string | null): Promise<Client>; signal?: AbortSignal | undefined },
): Promise<void> {
  const known = new Set(before?.assets.map(({ library, asset }) => `${library}/${asset}`));
  for (const [library, { server }] of Object.entries(after.libraries)) {
    const own = after.assets.filter((one) => one.library === library).map(({ asset }) => asset);
    const added = [...new Set(own)].filter((asset) => !known.has(`${library}/${asset}`));
    const [namespace = '', name = ''] = library.split('/');
    for (let at = 0; at < added.length; at += LIMITS.presignPaths) {
      const assets = added.slice(at, at + LIMITS.presignPaths);
      const client = await clientFor(server);
      await client
        .call(routes.libraries.countUses, { params: { namespace, name }, body: { assets }, signal })
        .catch(() => {});
    }
  }
}
