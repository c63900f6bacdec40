import type { LoggedRegister, Release } from '@bindery/contract';
import { LIMITS, routes } from '@bindery/contract/wire';
import { type Client, type LibraryAddress, libraryParams, readQuery } from '@bindery/sdk';
import { defineCommand } from '../../command.ts';
import { formatBytes, formatCount, sanitizeLine } from '../../output/text.ts';
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
