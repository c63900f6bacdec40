import { routes } from '@bindery/contract/wire';
import { formatLibraryAddress, libraryParams } from '@bindery/sdk';
import { defineCommand } from '../../command.ts';
import { count, formatBytes } from '../../output/text.ts';
import { library, yes } from './inputs.ts';

export const remove = defineCommand({
  name: 'delete',
  summary: 'Move a library to the Trash',
  description: 'It can be taken back with "bindery library restore" until it is purged.',
  inputs: { library, yes },
  examples: [['bindery library delete acme/robots --yes', 'nobody sees it any more; its name stays taken']],
  async run({ library, yes }, context) {
    const client = await context.signedInClient();
    await context.confirm(`Move ${formatLibraryAddress(library)} to the Trash?`, {
      yes,
      offTerminal: 'go ahead',
    });
    return client.call(routes.libraries.deleteLibrary, { params: libraryParams(library) });
  },
  render: ({ namespace, name }, output) =>
    output.line(
      `${namespace}/${name} is in the Trash. "bindery library restore ${namespace}/${name}" takes it back.`,
    ),
});

export const restore = defineCommand({
  name: 'restore',
  summary: 'Take a library out of the Trash',
  inputs: { library },
  examples: [['bindery library restore acme/robots', 'as it was']],
  run: async ({ library }, context) =>
    (await context.signedInClient()).call(routes.libraries.restoreLibrary, {
      params: libraryParams(library),
    }),
  render: ({ namespace, name, revision }, output) =>
    output.line(`${namespace}/${name} is back (revision ${revision}).`),
});

export const purge = defineCommand({
  name: 'purge',
  summary: 'Remove a library in the Trash for good',
  description: 'This cannot be undone. Delete the library first.',
  inputs: { library, yes },
  examples: [['bindery library purge acme/robots --yes', 'every file of it is gone']],
  async run({ library, yes }, context) {
    const client = await context.signedInClient();
    await context.confirm(`Remove ${formatLibraryAddress(library)} with all its files for good?`, {
      yes,
      offTerminal: 'refuse',
    });
    return client.call(routes.libraries.purgeLibrary, { params: libraryParams(library) });
  },
  render: ({ namespace, name, objectsDeleted, bytesFreed }, output) =>
    output.line(
      `${namespace}/${name} is gone: ${count(objectsDeleted, 'object')} deleted, ${formatBytes(bytesFreed)} freed.`,
    ),
});
