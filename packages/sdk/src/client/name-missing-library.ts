import { ApiError } from './errors.ts';

/**
 * Names the library or release in an error that it was not found. The service answers the same for everything that is
 * hidden or missing, and commands ask for several libraries.
 */
export function nameMissingLibrary(
  error: unknown,
  params: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, unknown>> = {},
): unknown {
  if (!(error instanceof ApiError) || error.code !== 'not_found') return error;
  const { namespace, name, release = query.release, uploadId } = params;
  if (namespace === undefined || name === undefined || uploadId !== undefined) return error;
  const [kind, library] =
    release === undefined
      ? ['library', `${namespace}/${name}`]
      : ['release', `${namespace}/${name}@${release}`];
  const { status, code, requestId, details } = error;
  return new ApiError({
    status,
    code,
    requestId,
    message: `There is no ${kind} ${library}, or none that you can see.`,
    details: { ...details, library },
  });
}
