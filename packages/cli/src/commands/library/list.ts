import type { LibrarySummary } from '@bindery/contract';
import { LIMITS, NAMESPACE_SLUG, routes } from '@bindery/contract/wire';
import { defineCommand, flag, integer, option, optionalArgument } from '../../command.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../output/command-error.ts';
import { formatBytes, formatCount, sanitizeLine } from '../../output/text.ts';
import { nameParser } from '../../parsers.ts';

export const list = defineCommand({
  name: 'list',
  summary: 'List libraries',
  description:
    'Lists those of one namespace, by default your own, or with --all those of every namespace. With --json it prints the response of the server unchanged.',
  inputs: {
    namespace: optionalArgument('<namespace>', 'the namespace', nameParser(NAMESPACE_SLUG)),
    all: flag('every library you can read, newest first'),
    deleted: flag('those in the Trash'),
    limit: option(
      '<n>',
      `with --all: maximum number (1 to ${LIMITS.libraryList.max})`,
      integer({ min: 1, max: LIMITS.libraryList.max }),
    ),
  },
  examples: [
    ['bindery library list --all', 'public libraries and those of your namespaces'],
    ['bindery library list acme', 'those of one namespace'],
    ['bindery library list acme --deleted', 'what can be restored'],
  ],
  async run({ namespace, all, deleted, limit }, context) {
    if (all && (namespace !== undefined || deleted)) {
      throw usageError('--all lists libraries of every namespace.', 'Leave out the namespace and --deleted.');
    }
    if (limit !== undefined && !all) throw usageError('--limit needs --all.');
    if (all) {
      const query = limit === undefined ? {} : { limit };
      return (await context.client()).raw(routes.libraries.listAllLibraries, { query });
    }
    const slug = namespace ?? (await ownNamespace(context));
    return (await context.client()).raw(routes.libraries.listLibraries, {
      params: { namespace: slug },
      query: { deleted: deleted ? 'true' : 'false' },
    });
  },
  json: ({ bytes }) => bytes,
  render({ bytes }, output) {
    const { libraries } = JSON.parse(bytes.toString('utf8')) as { libraries: LibrarySummary[] };
    output.table({
      headings: ['library', 'assets', 'files', 'size', 'visibility', 'updated', 'title'],
      rightAligned: [1, 2, 3],
      rows: libraries.map((library) => [
        `${library.namespace}/${library.name}`,
        String(library.assetCount),
        String(library.fileCount),
        formatBytes(library.totalBytes),
        library.visibility,
        library.updatedAt,
        sanitizeLine(library.title ?? ''),
      ]),
    });
    output.note(formatCount(libraries.length, 'library', 'libraries'));
  },
});

async function ownNamespace(context: Context): Promise<string> {
  if (!(await context.client()).authenticated) {
    throw usageError(
      'You are not signed in, so there is no namespace of your own.',
      'Name a namespace, or use --all.',
    );
  }
  const { namespace } = await (await context.client()).call(routes.login.getProfile, {});
  return namespace;
}
