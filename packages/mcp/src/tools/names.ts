import { z } from 'zod';
import type { LibraryName } from '../catalog.ts';

const SLUG = '[a-z0-9](?:[a-z0-9-]{0,37}[a-z0-9])?';
const NAME = '[a-z0-9][a-z0-9._-]{0,63}';

/** `<namespace>/<name>`, as people and all other tools write it. */
export const libraryInput = z
  .string()
  .regex(new RegExp(`^${SLUG}/${NAME}$`), {
    error: 'write <namespace>/<library> in lower case, for example acme/robots',
  })
  .transform((text): LibraryName => {
    const [namespace = '', name = ''] = text.split('/');
    return { namespace, name };
  });

export function formatLibrary({ namespace, name }: LibraryName): string {
  return `${namespace}/${name}`;
}
