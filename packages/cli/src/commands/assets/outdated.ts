import { defineCommand } from '../../command.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { sanitizeLine } from '../../output/text.ts';
import { clientFor, localOptions } from '../library/local-options.ts';

export const outdated = defineCommand({
  name: 'outdated',
  summary: 'List the libraries of which this project would get other files',
  description:
    'Shows what is locked, what is available (the newest release if one is used, else the current revision), and which assets ' +
    'of the project would change, be gone or be added. Pictures and texts do not count. Exit code 1 if there is anything.',
  inputs: {},
  examples: [['bindery outdated', 'what "bindery sync --upgrade" would change']],
  async run(_, context) {
    const { outdatedLibraries } = await import('@bindery/sdk/project-assets');
    const { cacheFolder, signal } = await localOptions(context);
    return {
      libraries: await outdatedLibraries(process.cwd(), {
        cacheFolder,
        signal,
        clientFor: clientFor(context),
      }),
    };
  },
  render({ libraries }, output) {
    if (libraries.length === 0) output.note('The files of all assets are those that are locked.');
    output.table({
      headings: ['library', 'locked', 'now', 'assets that differ'],
      rows: libraries.map(({ library, locked, now, changed, gone, added }) => [
        library,
        locked.release ?? String(locked.revision),
        now.release ?? String(now.revision),
        sanitizeLine(
          [...changed, ...gone.map((name) => `${name} (gone)`), ...added.map((id) => `${id} (new)`)].join(
            ', ',
          ),
        ),
      ]),
    });
  },
  exitCode: ({ libraries }) => (libraries.length === 0 ? EXIT.done : EXIT.stale),
});
