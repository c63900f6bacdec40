import { type Collection, collectService } from '@bindery/server';
import { defineCommand, flag } from '../command.ts';
import { count, formatBytes } from '../output/text.ts';
import { configurationOf, dataDir } from './on-database.ts';
import { inService } from './service-failures.ts';

type Fate = keyof Extract<Collection, { state: 'surveyed' }>['survey'];

const REASONS: Record<Fate, string> = {
  current: 'kept: the current revision of a library',
  released: 'kept: a release',
  replaced: 'kept: replaced within the grace period (BINDERY_RECLAIM_GRACE)',
  unclear: 'kept: an index that is damaged or missing may name it',
  leased: 'kept: a client was told that it is there',
  uploaded: 'kept: uploaded, and may be registered yet',
  waiting: 'kept: named by nothing, for less than the grace period',
  doomed: 'to be deleted',
};

export const gcCommand = defineCommand({
  name: 'gc',
  summary: 'Delete now what nothing names any more, or say what that would be',
  description:
    'The service does this by itself. With --dry-run every stored object is looked at, and it says how much is kept, why, and how much ' +
    'would go; nothing is changed. Without it what is to go is deleted, or, where a service has the data folder, left to the next ' +
    'pass of that service, within five minutes.',
  inputs: { dryRun: flag('change nothing'), dataDir },
  examples: [
    ['bindery admin gc --dry-run', 'how much would go, and why does the rest stay?'],
    ['bindery admin gc', 'delete it'],
  ],
  run: async ({ dryRun, dataDir }, { environment }) =>
    inService(async () => collectService(configurationOf(environment, dataDir), { dryRun })),
  render: (collection, output) => {
    const libraries = count(collection.libraries, 'library', 'libraries');
    if (collection.state === 'scheduled') {
      output.line(`The service that runs looks through ${libraries} within five minutes.`);
    } else if (collection.state === 'collected') {
      const { objects, bytes } = collection.freed;
      output.line(`Looked through ${libraries}: deleted ${count(objects, 'object')}, ${formatBytes(bytes)}.`);
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
