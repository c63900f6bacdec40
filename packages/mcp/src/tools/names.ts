import { LIBRARY_NAME, NAMESPACE_SLUG, type NameRule, RELEASE_NAME } from '@bindery/contract';
import { z } from 'zod';
import type { LibraryName, RevisionName } from '../catalog.ts';

const LIBRARY = `${unanchored(NAMESPACE_SLUG)}/${unanchored(LIBRARY_NAME)}`;

/** `<namespace>/<name>`, as people and all other tools write it. */
export const libraryInput = z
  .string()
  .regex(new RegExp(`^${LIBRARY}$`), {
    error: 'expected <namespace>/<library> in lower case, such as acme/robots',
  })
  .transform((text): LibraryName => readName(text));

/** `<namespace>/<name>` or `<namespace>/<name>@<release>`, for tools that read. */
export const revisionInput = z
  .string()
  .regex(new RegExp(`^${LIBRARY}(?:@${unanchored(RELEASE_NAME)})?$`), {
    error:
      'expected <namespace>/<library> in lower case, or <namespace>/<library>@<release>: acme/robots, acme/robots@v1.2',
  })
  .transform((text): RevisionName => {
    const [library = '', release] = text.split('@');
    return release === undefined ? readName(library) : { ...readName(library), release };
  });

export function formatLibrary({ namespace, name, release }: RevisionName): string {
  return release === undefined ? `${namespace}/${name}` : `${namespace}/${name}@${release}`;
}

function readName(text: string): LibraryName {
  const [namespace = '', name = ''] = text.split('/');
  return { namespace, name };
}

/** Returns the pattern of a name for use within a longer one. */
function unanchored({ pattern }: NameRule): string {
  return pattern.source.replace(/^\^|\$$/g, '');
}
