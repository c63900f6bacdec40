import { routes } from '@bindery/contract/wire';
import {
  ApiError,
  formatLibraryAddress,
  formatNumberedAddress,
  libraryParams,
  RevisionNotFoundError,
} from '@bindery/sdk';
import { argument, defineCommand } from '../../command.ts';
import { formatBytes, formatCount } from '../../output/text.ts';
import { library, ownRevision, yes } from './inputs.ts';

export const remove = defineCommand({
  name: 'delete',
  summary: 'Move a library to the Trash',
  description: '"bindery library restore" brings it back until it is purged.',
  inputs: { library, yes },
  examples: [['bindery library delete acme/robots --yes', 'nobody can see it; its name stays taken']],
  async run({ library, yes }, context) {
    const client = await context.signedInClient();
    const params = libraryParams(library);
    const { assetCount, fileCount, totalBytes } = await client.call(routes.libraries.getLibrary, { params });
    const counts = { assetCount, fileCount, totalBytes };
    await context.confirm(`Move ${formatLibraryAddress(library)} (${describe(counts)}) to the Trash?`, {
      yes,
      nonInteractive: 'go ahead',
    });
    return { ...(await client.call(routes.libraries.deleteLibrary, { params })), ...counts };
  },
  render: ({ namespace, name, ...counts }, output) =>
    output.line(
      `${namespace}/${name} (${describe(counts)}) is in the Trash. "bindery library restore ${namespace}/${name}" brings it back.`,
    ),
});

function describe(counts: { assetCount: number; fileCount: number; totalBytes: number }): string {
  const { assetCount, fileCount, totalBytes } = counts;
  return `${formatCount(assetCount, 'asset')}, ${formatCount(fileCount, 'file')}, ${formatBytes(totalBytes)}`;
}

export const restore = defineCommand({
  name: 'restore',
  summary: 'Restore a library from the Trash, or one of its earlier revisions',
  description:
    'With a revision, publishes its content again as the next revision, so that nothing is lost. Replaced revisions are kept ' +
    'for as long as the service says (BINDERY_HISTORY, by default 30 days); "bindery library log" lists them.',
  inputs: {
    library: argument('<ns/name[#revision]>', 'the library, or one of its revisions', ownRevision),
  },
  examples: [
    ['bindery library restore acme/robots', 'from the Trash, as it was'],
    ['bindery library restore acme/robots#3', 'the library has the content of revision 3 again'],
  ],
  async run({ library }, context) {
    const client = await context.signedInClient();
    const { revision, ...address } = library;
    const params = libraryParams(address);
    if (revision === undefined)
      return { ...(await client.call(routes.libraries.restoreLibrary, { params })), restored: null };
    const restored = await client
      .call(routes.libraries.restoreRevision, { params: { ...params, revision: String(revision) } })
      .catch((error: unknown) => {
        const isGone = error instanceof ApiError && error.code === 'not_found';
        throw isGone
          ? new RevisionNotFoundError(formatNumberedAddress(library), formatLibraryAddress(address))
          : error;
      });
    return { ...restored, restored: revision };
  },
  render: ({ namespace, name, revision, restored }, output) =>
    output.line(
      restored === null
        ? `${namespace}/${name} is back (revision ${revision}).`
        : `${namespace}/${name} has the content of revision ${restored} again, as revision ${revision}.`,
    ),
});

export const purge = defineCommand({
  name: 'purge',
  summary: 'Permanently delete a library that is in the Trash',
  description: 'This cannot be undone. Delete the library first.',
  inputs: { library, yes },
  examples: [['bindery library purge acme/robots --yes', 'all of its files are deleted']],
  async run({ library, yes }, context) {
    const client = await context.signedInClient();
    await context.confirm(`Permanently delete ${formatLibraryAddress(library)} with all its files?`, {
      yes,
      nonInteractive: 'refuse',
    });
    return client.call(routes.libraries.purgeLibrary, { params: libraryParams(library) });
  },
  render: ({ namespace, name, objectsDeleted, bytesFreed }, output) =>
    output.line(
      `${namespace}/${name} is gone: ${formatCount(objectsDeleted, 'object')} deleted, ${formatBytes(bytesFreed)} freed.`,
    ),
});
