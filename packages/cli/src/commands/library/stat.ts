import { defineCommand } from '../../command.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { formatBytes, formatCount } from '../../output/text.ts';
import { all, assets, releasedLibrary, selection, share, target, verify } from './inputs.ts';
import { localOptions } from './local-options.ts';

export const stat = defineCommand({
  name: 'stat',
  summary: 'Check whether a folder is up to date with a library',
  description: 'Exit code 0: up to date. 1: stale or absent, and it shows what a pull would fetch.',
  inputs: { library: releasedLibrary, out: target, asset: assets, all, verify, share },
  examples: [
    ['bindery library stat acme/robots -o robots', 'the whole library'],
    [
      'bindery library stat acme/robots --asset arm -o robots || bindery library pull …',
      'pull only if needed',
    ],
  ],
  async run({ library, out, share, verify, ...chosen }, context) {
    const { statLibrary } = await import('@bindery/sdk/reading');
    const parts = await localOptions(context);
    const options = { ...parts, ...selection(chosen), verify };
    return statLibrary(await context.client(), { ...library, share }, out, options);
  },
  render({ status, files, bytes }, output) {
    const toFetch = `${formatCount(files, 'file')}, ${formatBytes(bytes)} to fetch`;
    output.line(status === 'up-to-date' ? status : `${status}: ${toFetch}`);
  },
  exitCode: ({ status }) => (status === 'up-to-date' ? EXIT.done : EXIT.stale),
});
