import { diagnose, type Finding, fsckService, type GcResult, gcService, reindex } from '@bindery/server';
import { defineCommand, flag, optionWithPreset, UsageProblem } from '../command.ts';
import { usageError } from '../output/command-error.ts';
import { EXIT } from '../output/exit-codes.ts';
import { formatBytes, formatCount, formatNumber, sanitizeLine, shortHash } from '../output/text.ts';
import { configurationOf, dataDir, withDatabase, withServiceErrors } from './with-database.ts';

/** Maximum number of findings that are listed. */
const MAX_LISTED = 50;

export const fsckCommand = defineCommand({
  name: 'fsck',
  summary: 'Compare what the database refers to with what is stored',
  description:
    'Looks for every object of every library and release: that it is there, has its size and, with --read-data, its hash. ' +
    'Reports objects that nothing refers to and rows about objects that are missing. Compares a search engine with what the ' +
    'database says that it has. Works whether the service is running or not, and deletes no objects: with --repair damaged ' +
    'indexes are rebuilt, damage is recorded for the next push, and unreferenced objects are left to be reclaimed. ' +
    'Exit code 7: something is still wrong.',
  inputs: {
    readData: optionWithPreset(
      '[share]',
      'also read and hash the files, or a random share of them',
      '100%',
      share,
    ),
    repair: flag('repair what can be repaired without a copy'),
    dataDir,
  },
  examples: [
    ['bindery admin fsck', 'is everything there?'],
    ['bindery admin fsck --read-data=10%', 'and is a random tenth of it undamaged?'],
  ],
  run: async ({ readData = 0, repair, dataDir }, { environment }) =>
    withServiceErrors(async () =>
      fsckService(configurationOf(environment, dataDir), { readShare: readData, repair }),
    ),
  render: ({ libraries, revisions, objects, objectsRead, findings, further, search, isSound }, output) => {
    for (const finding of findings.slice(0, MAX_LISTED)) output.warn(describe(finding));
    if (search?.remedy) output.warn(`${search.message} ${search.remedy}`);
    const unnamed = further + Math.max(0, findings.length - MAX_LISTED);
    if (unnamed > 0) output.warn(`… and ${formatNumber(unnamed)} more (--json lists up to 10,000).`);
    output.line(
      `Checked ${formatCount(libraries, 'library', 'libraries')}, ${formatCount(revisions, 'revision')}: ` +
        `${formatCount(objects, 'object')}, ${formatNumber(objectsRead)} of them read. ` +
        outcome(isSound, findings.length),
    );
  },
  exitCode: ({ isSound }) => (isSound ? EXIT.done : EXIT.integrity),
});

function outcome(isSound: boolean, findings: number): string {
  if (!isSound) return 'Something is wrong.';
  return findings > 0 ? 'All problems were repaired.' : 'No problems found.';
}

function describe({
  problem,
  what,
  storeId,
  library,
  revision,
  sha256,
  path,
  isRepaired,
  remedy,
}: Finding): string {
  const where = library === null ? `store ${storeId}` : sanitizeLine(library);
  const which = path === null ? (sha256 === null ? '' : ` ${shortHash(sha256)}`) : ` "${sanitizeLine(path)}"`;
  const at = revision === null ? '' : ` of revision ${revision}`;
  const says = {
    missing: 'is missing',
    'wrong-size': 'has another size',
    damaged: 'is damaged',
    'recorded-as-damaged': 'is recorded as damaged, but intact',
    orphan: 'is not referenced',
    'stale-row': 'is about an object that does not exist',
    miscounted: 'has other sums than the uploads that are not registered',
  }[problem];
  return `${where}: the ${what}${which}${at} ${says}; ${isRepaired ? 'repaired: ' : ''}${remedy}.`;
}

function share(text: string): number {
  const percent = /^(\d{1,3})%$/.exec(text)?.[1];
  const number = Number(percent);
  if (percent === undefined || number < 1 || number > 100) {
    throw new UsageProblem('expected a percentage from 1% to 100%');
  }
  return number / 100;
}

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Check every part of a service, and say how to fix what is wrong',
  description:
    'Checks database, schema, clocks, store, disk space, the search model, operators and known damage, whether the service is ' +
    'running or not. It changes nothing. Exit code 7: some part does not work.',
  inputs: { dataDir },
  examples: [['bindery admin doctor --data-dir /var/lib/bindery', 'is everything all right?']],
  run: async ({ dataDir }, { environment }) =>
    withServiceErrors(async () => ({ findings: await diagnose(configurationOf(environment, dataDir)) })),
  render: ({ findings }, output) => {
    for (const { part, status, message, remedy } of findings) {
      output.line(`${part}: ${status === 'ok' ? 'ok' : status.toUpperCase()}. ${sanitizeLine(message)}`);
      if (remedy !== null) output.line(`  ${sanitizeLine(remedy)}`);
    }
  },
  exitCode: ({ findings }) =>
    findings.some(({ status }) => status === 'failed') ? EXIT.integrity : EXIT.done,
});

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
