import { LIBRARY_NAME, NAMESPACE_SLUG, type NameRule, RELEASE_NAME } from '@bindery/contract';
import { z } from 'zod';
import type { LibraryName, NumberedName, RevisionName } from '../catalog.ts';

const LIBRARY = `${unanchored(NAMESPACE_SLUG)}/${unanchored(LIBRARY_NAME)}`;

/** `<namespace>/<name>`, as people and all other tools write it. */
export const libraryInput = z
  .string()
  .regex(new RegExp(`^${LIBRARY}$`), {
    error: 'expected <namespace>/<library> in lower case, such as acme/robots',
  })
  .transform((text): LibraryName => readName(text))
  .describe('Such as acme/robots.');

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
  })
  .describe('Such as acme/robots, or its release acme/robots@v1.');

/** As above, or `<namespace>/<name>#<revision>`. */
export const numberedInput = z
  .string()
  .regex(new RegExp(`^${LIBRARY}(?:@${unanchored(RELEASE_NAME)}|#[1-9]\\d{0,14})?$`), {
    error:
      'expected <namespace>/<library>, <namespace>/<library>@<release> or <namespace>/<library>#<revision>',
  })
  .transform((text): NumberedName => {
    const [library = '', mark = '', version = ''] = text.split(/([@#])/);
    const name = readName(library);
    if (mark === '') return name;
    return mark === '@' ? { ...name, release: version } : { ...name, revision: Number(version) };
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
