import { defineCommand } from '../../command.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { formatBytes, formatCount, formatNumber, sanitizeLine } from '../../output/text.ts';
import { all, assets, releasedAsset, selection, share, target, verify } from './inputs.ts';
import { localOptions } from './local-options.ts';

const MAX_LISTED = 50;

export const stat = defineCommand({
  name: 'stat',
  summary: 'Check whether a folder is up to date with a library',
  description:
    'Exit code 0: up to date. 1: stale or absent, and it shows what a pull would fetch: each file, and which side moved since ' +
    'the two last matched.',
  inputs: { library: releasedAsset, out: target, asset: assets, all, verify, share },
  examples: [
    ['bindery library stat acme/robots -o robots', 'the whole library'],
    [
      'bindery library stat acme/robots --asset arm -o robots || bindery library pull …',
      'pull only if needed',
    ],
  ],
  async run({ library, out = library.name, share, verify, ...chosen }, context) {
    const { statLibrary } = await import('@bindery/sdk/reading');
    const parts = await localOptions(context);
    const options = { ...parts, ...selection({ library, ...chosen }), verify };
    return statLibrary(await context.client(), { ...library, share }, out, options);
  },
  render({ status, files, bytes, moved }, output) {
    const toFetch = `${formatCount(files, 'file')}, ${formatBytes(bytes)} to fetch`;
    output.line(status === 'up-to-date' ? status : `${status}: ${toFetch}`);
    if (status === 'absent') return;
    for (const { path, how } of moved.slice(0, MAX_LISTED)) output.line(`  ${sanitizeLine(path)} (${how})`);
    if (moved.length > MAX_LISTED)
      output.line(`  … and ${formatNumber(moved.length - MAX_LISTED)} more; --json has all`);
  },
  exitCode: ({ status }) => (status === 'up-to-date' ? EXIT.done : EXIT.stale),
});
