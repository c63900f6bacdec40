import { type GcResult, gcService, reindex } from '@bindery/server';
import { defineCommand, flag } from '../command.ts';
import { usageError } from '../output/command-error.ts';
import { formatBytes, formatCount } from '../output/text.ts';
import { configurationOf, dataDir, withDatabase } from './with-database.ts';
import { withServiceErrors } from './with-service-errors.ts';

type Fate = keyof Extract<GcResult, { state: 'surveyed' }>['survey'];

const REASONS: Record<Fate, string> = {
  current: 'kept: part of the current revision of a library',
  released: 'kept: part of a release',
  proposed: 'kept: part of an open proposal',
  replaced: 'kept: replaced, and history (BINDERY_HISTORY, BINDERY_RECLAIM_GRACE)',
  unclear: 'kept: a damaged or missing index may refer to it',
  leased: 'kept: a client was told that it is present',
  uploaded: 'kept: uploaded, and may still be registered',
  waiting: 'kept: unreferenced for less than the grace period',
  doomed: 'to be deleted',
};

export const gcCommand = defineCommand({
  name: 'gc',
  summary: 'Delete unreferenced objects now, or report what would be deleted',
  description:
    'The service does this by itself. With --dry-run it examines every stored object and reports how much is kept, why, and how much ' +
    'would be deleted; nothing is changed. Without it these are deleted or, if a service is using the data folder, left to the next ' +
    'pass of that service, within five minutes.',
  inputs: { dryRun: flag('change nothing'), dataDir },
  examples: [
    ['bindery admin gc --dry-run', 'how much would be deleted, and why is the rest kept?'],
    ['bindery admin gc', 'delete it'],
  ],
  run: async ({ dryRun, dataDir }, { environment }) =>
    withServiceErrors(async () => gcService(configurationOf(environment, dataDir), { dryRun })),
  render: (collection, output) => {
    const libraries = formatCount(collection.libraries, 'library', 'libraries');
    if (collection.state === 'scheduled') {
      output.line(`The running service goes through ${libraries} within five minutes.`);
    } else if (collection.state === 'collected') {
      const { objects, bytes } = collection.freed;
      output.line(
        `Went through ${libraries}: deleted ${formatCount(objects, 'object')}, ${formatBytes(bytes)}.`,
      );
    } else {
      const rows = Object.entries(collection.survey).map(([fate, { objects, bytes }]) => [
        REASONS[fate as Fate],
        String(objects),
        formatBytes(bytes),
      ]);
      output.table({ headings: [libraries, 'objects', 'size'], rows });
    }
  },
});

export const reindexCommand = defineCommand({
  name: 'reindex',
  summary: 'Publish all libraries to the search engine again',
  description:
    'Where searches ask a search engine (BINDERY_SEARCH), the running service makes a new index and publishes every library to it. What ' +
    'the new index does not have yet is searched in the service itself, as far as its memory has room; searches say if that is not all.',
  inputs: { dataDir },
  examples: [['bindery admin reindex', 'the search engine lacks something']],
  run: async ({ dataDir }, { environment }) => {
    const libraries = await withDatabase(environment, dataDir, reindex);
    if (libraries === null)
      throw usageError('The service has no search engine.', 'Start it with BINDERY_SEARCH first.');
    return { libraries };
  },
  render: ({ libraries }, output) =>
    output.line(`The running service publishes ${formatCount(libraries, 'library', 'libraries')} again.`),
});
