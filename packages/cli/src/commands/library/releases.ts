import { LIMITS, routes } from '@bindery/contract/wire';
import { libraryParams, readQuery } from '@bindery/sdk';
import { defineCommand, integer, option } from '../../command.ts';
import { formatBytes, sanitizeLine } from '../../output/text.ts';
import { library, share } from './inputs.ts';

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
