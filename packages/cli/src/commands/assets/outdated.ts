import { defineCommand } from '../../command.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { sanitizeLine } from '../../output/text.ts';
import { localOptions } from '../library/local-options.ts';
import { clientFor } from './client-for.ts';

export const outdated = defineCommand({
  name: 'outdated',
  summary: 'List the libraries of this project that have newer content',
  description:
    'Shows what is locked, what is available (the newest release if one is used, else the current revision), and which assets ' +
    'of the project would change. Exit code 1 if there is anything newer.',
  inputs: {},
  examples: [
    ['bindery outdated', 'what "bindery sync --upgrade" or another release in assets.yml would change'],
  ],
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
    if (libraries.length === 0) output.note('Everything is at its locked version.');
    output.table({
      headings: ['library', 'locked', 'now', 'assets that differ'],
      rows: libraries.map(({ library, locked, now, changed, gone }) => [
        library,
        locked.release ?? String(locked.revision),
        now.release ?? String(now.revision),
        sanitizeLine([...changed, ...gone.map((name) => `${name} (gone)`)].join(', ')),
      ]),
    });
  },
  exitCode: ({ libraries }) => (libraries.length === 0 ? EXIT.done : EXIT.stale),
});
