import { reindex } from '@bindery/server';
import { defineCommand } from '../command.ts';
import { usageError } from '../output/command-error.ts';
import { formatCount } from '../output/text.ts';
import { dataDir, withDatabase } from './with-database.ts';

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
