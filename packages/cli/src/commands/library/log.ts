import type { LibrarySummary, LoggedRegister, Release } from '@bindery/contract';
import { LIMITS, NAMESPACE_SLUG, routes } from '@bindery/contract/wire';
import { type Client, type LibraryAddress, libraryParams, readQuery } from '@bindery/sdk';
import { defineCommand, flag, integer, option, optionalArgument } from '../../command.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../output/command-error.ts';
import { formatBytes, formatCount, sanitizeLine } from '../../output/text.ts';
import { nameParser } from '../../parsers.ts';
import { library, share } from './inputs.ts';

export const log = defineCommand({
  name: 'log',
  summary: 'Show the releases and latest registers of a library, newest first',
  description:
    `The service keeps the last ${LIMITS.loggedRegisters} registers. Only members of the namespace see the names of people, and only they can ` +
    'read replaced revisions, as long as these are kept ("kept"): pull acme/robots#3, restore acme/robots#3.',
  inputs: { library, share },
  examples: [['bindery library log acme/robots', 'who changed what, and which revisions are released']],
  async run({ library, share }, context) {
    const client = await context.client();
    const address = { ...library, share };
    const { registers } = await client.call(routes.libraries.getLog, {
      params: libraryParams(address),
      query: readQuery(address),
    });
    return { registers, releases: await readReleases(client, address) };
  },
  render({ registers, releases }, output) {
    output.table({
      headings: ['revision', 'kept', 'when', 'by', 'what', 'notes'],
      rightAligned: [0],
      rows: [...releases.map(releaseRow), ...registers.map(registerRow)]
        .sort((a, b) => b.revision - a.revision || b.at.localeCompare(a.at))
        .map(({ revision, isReadable, at, by, what, notes }) => [
          String(revision),
          isReadable ? 'yes' : '',
          at,
          sanitizeLine(by ?? ''),
          what,
          sanitizeLine(notes),
        ]),
    });
  },
});

interface LogRow {
  revision: number;
  isReadable: boolean;
  at: string;
  by: string | null;
  what: string;
  notes: string;
}

async function readReleases(client: Client, address: LibraryAddress): Promise<Release[]> {
  const releases: Release[] = [];
  for (let page = 1; ; page++) {
    const answer = await client.call(routes.releases.listReleases, {
      params: libraryParams(address),
      query: {
        ...readQuery(address),
        page: String(page),
        pageSize: String(LIMITS.releasePageSize.max),
      },
    });
    releases.push(...answer.releases);
    if (page >= answer.totalPages) return releases;
  }
}

function releaseRow({ name, revision, createdAt, createdBy, notes }: Release): LogRow {
  return {
    revision,
    isReadable: true,
    at: createdAt,
    by: createdBy,
    what: `released as ${sanitizeLine(name)}`,
    notes: notes ?? '',
  };
}

function registerRow(register: LoggedRegister): LogRow {
  const { assetsAdded, assetsRemoved, assetsChanged, assetCount, totalBytes } = register;
  return {
    revision: register.revision,
    isReadable: register.isReadable,
    at: register.registeredAt,
    by: register.registeredBy,
    what: `+${assetsAdded} -${assetsRemoved} ~${assetsChanged}: ${formatCount(assetCount, 'asset')}, ${formatBytes(totalBytes)}`,
    notes: '',
  };
}

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
