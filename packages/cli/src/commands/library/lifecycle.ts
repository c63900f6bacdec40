import { routes, VISIBILITIES } from '@bindery/contract/wire';
import {
  ApiError,
  formatLibraryAddress,
  formatNumberedAddress,
  libraryParams,
  RevisionNotFoundError,
} from '@bindery/sdk';
import { argument, defineCommand, flag, oneOf } from '../../command.ts';
import { usageError } from '../../output/command-error.ts';
import { formatBytes, formatCount } from '../../output/text.ts';
import { library, ownRevision, yes } from './inputs.ts';
import { pageOf, rawUrl } from './report.ts';

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

export const share = defineCommand({
  name: 'share',
  summary: 'Create, rotate or revoke the share token of a library',
  description: 'Anyone with the token can read the library, as with "bindery library pull --share <token>".',
  inputs: {
    library,
    rotate: flag('create a new token; the old one stops working'),
    off: flag('revoke the token'),
  },
  examples: [
    ['bindery library share acme/robots', 'print the token, creating one if there is none'],
    ['bindery library share acme/robots --rotate', 'a new one'],
    ['bindery library share acme/robots --off', 'revoke it'],
  ],
  async run({ library, rotate, off }, context) {
    if (rotate && off) throw usageError('--rotate and --off exclude each other.');
    const client = await context.signedInClient();
    const detail = await client.call(routes.libraries.patchLibrary, {
      params: libraryParams(library),
      body: { share: off ? false : rotate ? 'rotate' : true },
    });
    const { shareToken } = detail;
    if (!shareToken) return { ...detail, page: null, url: null };
    const url = rawUrl(client, { ...library, share: shareToken });
    return { ...detail, page: pageOf(client, library, shareToken), url };
  },
  render({ namespace, name, shareToken, page, url }, output) {
    const library = `${namespace}/${name}`;
    if (!shareToken) return output.note(`${library} no longer has a share token.`);
    output.line(shareToken);
    output.note(`Anyone with it can read the library: bindery library pull ${library} --share <token>`);
    output.note(`In a browser: ${page}`);
    output.note(`Its files: ${url}`);
  },
});

export const visibility = defineCommand({
  name: 'visibility',
  summary: 'Make a library public or private',
  inputs: {
    library,
    visibility: argument('<visibility>', 'private or public', oneOf(...VISIBILITIES)),
  },
  examples: [
    ['bindery library visibility acme/robots public', 'everybody can read it'],
    ['bindery library visibility acme/robots private', 'only members and holders of its share token'],
  ],
  run: async ({ library, visibility }, context) =>
    (await context.signedInClient()).call(routes.libraries.patchLibrary, {
      params: libraryParams(library),
      body: { visibility },
    }),
  render: ({ namespace, name, visibility }, output) =>
    output.line(`${namespace}/${name} is ${visibility} now.`),
});
