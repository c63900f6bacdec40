import { type CommandGroup, defineCommand, requiredOption, UsageProblem } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../output/exit-codes.ts';
import { formatBytes, formatCount } from '../output/text.ts';

const info = defineCommand({
  name: 'info',
  summary: 'Show where the cache is and how much it holds',
  inputs: {},
  examples: [['bindery cache info', 'its folder, entries and bytes']],
  async run(_, context) {
    const { cacheInfo } = await import('@bindery/sdk/cache');
    return cacheInfo(await openCache(context));
  },
  render({ folder, entries, bytes, leastRecentUse }, output) {
    output.fields([
      ['folder', folder],
      ['holds', `${formatCount(entries, 'file')}, ${formatBytes(bytes)}`],
      ['unused since', leastRecentUse ?? ''],
    ]);
  },
});

const verify = defineCommand({
  name: 'verify',
  summary: 'Read every file of the cache and remove damaged ones',
  description: 'Exit code 7 if anything was damaged. What was removed is fetched again when it is needed.',
  inputs: {},
  examples: [['bindery cache verify', 'after a crash, or if you suspect the disk']],
  async run(_, context) {
    const { verifyCache } = await import('@bindery/sdk/cache');
    return verifyCache(await openCache(context), context);
  },
  render({ checked, bytes, damaged }, output) {
    output.line(`Verified ${formatCount(checked, 'file')}, ${formatBytes(bytes)}.`);
    if (damaged.length > 0) {
      output.warn([`Removed ${formatCount(damaged.length, 'damaged file')}:`, ...damaged].join('\n  '));
    }
  },
  exitCode: ({ damaged }) => (damaged.length === 0 ? EXIT.done : EXIT.integrity),
});

const prune = defineCommand({
  name: 'prune',
  summary: 'Remove what has not been used for longest, down to a size',
  inputs: { keep: requiredOption('<size>', 'the size to keep, such as 20G; 0 empties the cache', size) },
  examples: [
    ['bindery cache prune --keep 20G', 'keep at most 20 GiB'],
    ['bindery cache prune --keep 0', 'keep nothing'],
  ],
  async run({ keep }, context) {
    const { pruneCache } = await import('@bindery/sdk/cache');
    return pruneCache(await openCache(context), keep);
  },
  render({ removed, kept }, output) {
    output.line(
      `Removed ${formatCount(removed.entries, 'file')}, ${formatBytes(removed.bytes)}; ` +
        `${formatCount(kept.entries, 'file')}, ${formatBytes(kept.bytes)} are left.`,
    );
  },
});

export const cache: CommandGroup = {
  name: 'cache',
  summary: 'Show, verify and prune the cache of this machine',
  commands: [info, verify, prune],
};

async function openCache({ environment }: Context) {
  const { cacheFolder, ObjectCache } = await import('@bindery/sdk/cache');
  return new ObjectCache(cacheFolder(environment));
}

/** Parses a size such as `500M` or `20G` into bytes; units are powers of 1,024. */
function size(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,12})([KMGT]?)(?:i?B)?$/i.exec(text) ?? [];
  if (digits === '') throw new UsageProblem('expected a size such as 500M or 20G');
  return Number(digits) * 1_024 ** ' KMGT'.indexOf(unit.toUpperCase() || ' ');
}
