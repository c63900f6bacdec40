import type { SyncOptions } from '@bindery/sdk/project-assets';
import type { Context } from '../../context.ts';

/** The client of the server that a project names, or of the chosen one where it names none. */
export function clientFor(context: Context): SyncOptions['clientFor'] {
  return (server) => (server === null ? context.client() : context.clientOf(server));
}
