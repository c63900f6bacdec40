import type { Release } from '@bindery/contract';
import { LIMITS, RELEASE_NAME, routes } from '@bindery/contract/wire';
import {
  ApiError,
  type Client,
  formatLibraryAddress,
  type LibraryAddress,
  libraryParams,
  readQuery,
} from '@bindery/sdk';
import { argument, defineCommand, flag, integer, option, type Parse, UsageProblem } from '../../command.ts';
import type { Context } from '../../context.ts';
import { asCommandError, CommandError, usageError } from '../../output/command-error.ts';
import { formatBytes, formatCount, sanitizeLine } from '../../output/text.ts';
import { nameParser } from '../../parsers.ts';
import { library, share, yes } from './inputs.ts';
import { key, signOptions } from './signing.ts';

const releaseName = argument('<release>', 'its name, for example v1.2', nameParser(RELEASE_NAME));

const notes: Parse<string> = (value) => {
  if (value.length <= LIMITS.releaseNotes) return value;
  throw new UsageProblem(`expected at most ${LIMITS.releaseNotes} characters`);
};

export const release = defineCommand({
  name: 'release',
  summary: 'Publish a revision of a library as a permanent release',
  description:
    'A release can be pulled as ns/name@release, byte for byte, whatever is pushed later, until it is deleted. ' +
    'Releases never change.',
  inputs: {
    library,
    release: releaseName,
    notes: option('<text>', 'notes for others', notes),
    revision: option(
      '<n>',
      'this revision, current or earlier, as long as it is kept; by default the current one',
      integer({ min: 1 }),
    ),
    sign: flag('sign it with a key that library signers allows'),
    key,
  },
  examples: [
    ['bindery library release acme/robots v1.2', 'the current revision'],
    ['bindery library release acme/robots paper --notes "As in the paper"', 'with notes'],
    [
      'bindery library release acme/robots v1.2 --revision 7',
      'revision 7, whether or not somebody has pushed since',
    ],
    ['bindery library release acme/robots v1.2 --sign', 'signed with ~/.ssh/id_ed25519'],
  ],
  async run({ library, release, notes, revision, sign, key }, context) {
    if (key !== undefined && !sign) throw usageError('--key needs --sign.');
    const client = await context.signedInClient();
    const made = await client.call(routes.releases.createRelease, {
      params: libraryParams(library),
      body: { name: release, ...(notes ? { notes } : {}), ...(revision ? { revision } : {}) },
    });
    return sign ? { ...made, signature: await signRelease(client, library, made, key, context) } : made;
  },
  render({ name, revision, assetCount, totalBytes, ...made }, output) {
    output.line(
      `Released revision ${revision} as ${sanitizeLine(name)}: ${formatCount(assetCount, 'asset')}, ${formatBytes(totalBytes)}.`,
    );
    if ('signature' in made) {
      const { signer, entry } = made.signature;
      output.line(`Signed by ${signer} in entry ${entry} of the signature log.`);
    }
  },
});

async function signRelease(
  client: Client,
  library: LibraryAddress,
  { name, revision, manifest }: Release,
  key: string | undefined,
  context: Context,
) {
  const { fingerprintOf, signEntry } = await import('@bindery/sdk/signatures');
  const action = { kind: 'release', release: { name, revision, manifest } } as const;
  try {
    const { log } = await signEntry(client, library, action, await signOptions(key, context));
    const signature = log.release(name);
    if (signature === undefined) throw new Error('the log lacks what was added to it');
    return { signer: fingerprintOf(signature.key), entry: signature.entry, root: log.root() };
  } catch (error) {
    const failure = asCommandError(error);
    const isUnknown = failure.details.problem === 'unknown_key';
    const allow = isUnknown
      ? `"bindery library signers ${formatLibraryAddress(library)} --allow <file>" allows a key.`
      : undefined;
    const again = `${formatLibraryAddress({ ...library, release: name })} is released and not signed. Run it again with --revision ${revision}.`;
    throw new CommandError(failure.exitCode, failure.code, failure.message, {
      next: [failure.next, allow, again].filter(Boolean).join(' '),
      details: failure.details,
      cause: error,
    });
  }
}

export const unrelease = defineCommand({
  name: 'unrelease',
  summary: 'Delete a release of a library',
  description:
    'First shows what would be freed: content that neither the current revision nor another release has. It is deleted after ' +
    'the grace period of the service, and can no longer be pulled.',
  inputs: { library, release: releaseName, yes },
  examples: [['bindery library unrelease acme/robots v1.2', 'shows what would be freed, and asks']],
  async run({ library, release, yes }, context) {
    const client = await context.signedInClient();
    const freed = await previewDeletion(client, library, release);
    const address = formatLibraryAddress({ ...library, release });
    await context.confirm(`Delete the release ${address}? ${sentence(freed)}`, {
      yes,
      nonInteractive: 'refuse',
    });
    const params = { ...libraryParams(library), release };
    await client.call(routes.releases.deleteRelease, { params });
    return { ...libraryParams(library), release, ...freed };
  },
  render: ({ namespace, name, release, ...freed }, output) =>
    output.line(`${formatLibraryAddress({ namespace, name, release })} is deleted. ${sentence(freed)}`),
});

interface Freed {
  /** Null if the service has lost the data that it needs to tell. */
  objectsFreed: number | null;
  bytesFreed: number | null;
}

async function previewDeletion(client: Client, library: LibraryAddress, release: string): Promise<Freed> {
  try {
    const params = { ...libraryParams(library), release };
    return await client.call(routes.releases.previewReleaseDeletion, { params });
  } catch (error) {
    const isLost = error instanceof ApiError && error.code === 'content_lost';
    if (isLost) return { objectsFreed: null, bytesFreed: null };
    throw error;
  }
}

function sentence({ objectsFreed, bytesFreed }: Freed): string {
  if (objectsFreed === null || bytesFreed === null) return 'The service does not know how much that frees.';
  if (objectsFreed === 0) return 'That frees nothing: all of it is still in use.';
  return `That frees ${formatBytes(bytesFreed)} (${formatCount(objectsFreed, 'object')}) after the grace period.`;
}

export const releases = defineCommand({
  name: 'releases',
  summary: 'List the releases of a library, newest first',
  inputs: {
    library,
    page: option('<n>', 'which page', integer({ min: 1, max: LIMITS.pages })),
    pageSize: option(
      '<n>',
      `releases on a page (1 to ${LIMITS.releasePageSize.max})`,
      integer({ min: 1, max: LIMITS.releasePageSize.max }),
    ),
    share,
  },
  examples: [['bindery library releases acme/robots', 'what can be pulled as acme/robots@<release>']],
  run: async ({ library, page, pageSize, share }, context) =>
    (await context.client()).call(routes.releases.listReleases, {
      params: libraryParams(library),
      query: {
        ...readQuery({ ...library, share }),
        ...(page === undefined ? {} : { page: String(page) }),
        ...(pageSize === undefined ? {} : { pageSize: String(pageSize) }),
      },
    }),
  render({ releases, total }, output) {
    output.table({
      headings: ['release', 'revision', 'assets', 'files', 'size', 'created', 'by', 'notes'],
      rightAligned: [1, 2, 3, 4],
      rows: releases.map((release) => [
        release.name,
        String(release.revision),
        String(release.assetCount),
        String(release.fileCount),
        formatBytes(release.totalBytes),
        release.createdAt,
        sanitizeLine(release.createdBy ?? ''),
        sanitizeLine(release.notes ?? ''),
      ]),
    });
    output.note(`${releases.length} of ${total}`);
  },
});
