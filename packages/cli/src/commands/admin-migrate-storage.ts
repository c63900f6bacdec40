import { migrateStorage } from '@bindery/server';
import { defineCommand, requiredOption } from '../command.ts';
import { EXIT } from '../output/exit-codes.ts';
import { formatBytes, formatCount, formatNumber } from '../output/text.ts';
import { folderOrBucket } from './folder-or-bucket.ts';
import { configurationOf, dataDir } from './with-database.ts';
import { withServiceErrors } from './with-service-errors.ts';

export const migrateStorageCommand = defineCommand({
  name: 'migrate-storage',
  summary: 'Copy the files of a service into a bucket or another data folder',
  description:
    'Works whether the service is running or not. Every file is verified as it is copied, and files already there are left alone: ' +
    'copy while the service runs, stop it, copy again to pick up what is new, and start it with the new setting. Nothing is deleted. ' +
    'Exit code 7: a file is damaged and was not copied.',
  inputs: {
    to: requiredOption(
      '<place>',
      's3://bucket/prefix (AWS_… as for the service), or a data folder',
      folderOrBucket,
    ),
    dataDir,
  },
  examples: [
    ['bindery admin migrate-storage --to s3://robotics/libraries', 'then start with BINDERY_OBJECTS'],
    ['bindery admin migrate-storage --to /data/bindery', 'then start with BINDERY_DATA_DIR'],
  ],
  run: ({ to, dataDir }, { environment }) =>
    withServiceErrors(async () => {
      const { BINDERY_OBJECTS: _, ...others } = environment;
      const target = to.startsWith('s3://')
        ? configurationOf({ ...others, BINDERY_OBJECTS: to }, dataDir)
        : configurationOf(others, to);
      return migrateStorage(configurationOf(environment, dataDir), target);
    }),
  render: ({ objects, copied, bytes, damaged }, output) => {
    output.line(
      `Copied ${formatNumber(copied)} of ${formatCount(objects, 'object')} (${formatBytes(bytes)}).`,
    );
    for (const { storeId, sha256 } of damaged) output.warn(`The object ${storeId}/${sha256} is damaged.`);
    if (damaged.length > 0) output.warn('"bindery admin fsck" says which libraries they belong to.');
    else if (copied > 0)
      output.note('Run it again until nothing is new, the last time with the service stopped.');
  },
  exitCode: ({ damaged }) => (damaged.length === 0 ? EXIT.done : EXIT.integrity),
});
