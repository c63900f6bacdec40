import type { SyncOptions } from '@bindery/sdk/project-assets';
import type { Context } from '../../context.ts';

/** Returns the client for the server that a project names, or for the chosen one if it names none. */
export function clientFor(context: Context): SyncOptions['clientFor'] {
  return (server) => (server === null ? context.client() : context.clientForServer(server));
}
