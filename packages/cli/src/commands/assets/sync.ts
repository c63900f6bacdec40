import type { SyncResult } from '@bindery/sdk/project-assets';
import { defineCommand, flag, optionalArgument } from '../../command.ts';
import { usageError } from '../../output/command-error.ts';
import type { Output } from '../../output/output.ts';
import { count, formatBytes } from '../../output/text.ts';
import { libraryAddress, verify } from '../library/inputs.ts';
import { localParts } from '../library/local-parts.ts';
import { mirror, withMirror } from '../library/mirror.ts';
import { warnOfPaths } from '../library/warn-of-paths.ts';
import { credits, creditsOptions, reportCredits } from '../library/write-credits.ts';
import { clientFor } from './client-for.ts';

export const sync = defineCommand({
  name: 'sync',
  summary: 'Bring the assets that this project uses, and lock what they are',
  description:
    'Lays out what assets.yml names below assets/ and writes assets.lock, by which anybody gets the same bytes. What is ' +
    'locked stays as it is until --upgrade. With --frozen the lock alone is followed and every byte verified; from a cache ' +
    'that has all, no network is needed. Files that were edited here are named and never replaced without --force.',
  resumes: true,
  inputs: {
    library: optionalArgument('<ns/name>', 'with --upgrade: this library alone', libraryAddress),
    frozen: flag('follow assets.lock as it is, and fail where it does not answer assets.yml'),
    upgrade: flag('take what there is now, in place of what is locked'),
    mirror,
    link: flag('make files hard links of the cache, which may not be written'),
    force: flag('replace files that were edited here'),
    verify,
    credits,
  },
  examples: [
    ['bindery sync', 'what assets.yml names'],
    ['bindery sync --frozen', 'exactly what assets.lock names, as in continuous integration'],
    ['bindery sync --upgrade ada/robots', 'the robots as they are now'],
    ['bindery sync --frozen --credits', 'whose work the assets are too, in assets/CREDITS.md'],
    ['bindery sync --frozen --mirror /media/stick/mirror', 'from a stick that nobody need trust'],
  ],
  async run({ library, frozen, upgrade, mirror: location, credits: credited, ...options }, context) {
    if (library !== undefined && !upgrade) {
      throw usageError(
        'A library is named with --upgrade alone.',
        'Type "bindery sync --upgrade <ns/name>".',
      );
    }
    if (frozen && upgrade) throw usageError('--frozen and --upgrade contradict each other.');
    const { syncProject } = await import('@bindery/sdk/project-assets');
    const parts = await localParts(context);
    const one = library === undefined ? ('all' as const) : [`${library.namespace}/${library.name}`];
    return withMirror(location, context, (opened) =>
      syncProject(process.cwd(), {
        ...parts,
        ...options,
        frozen,
        upgrade: upgrade ? one : undefined,
        mirror: opened,
        credits: creditsOptions(credited, context.environment),
        clientFor: clientFor(context),
      }),
    );
  },
  render(result, output) {
    output.line(sentence(result));
    for (const [library, { release, revision }] of Object.entries(result.lock.libraries)) {
      output.note(`  ${library} ${release === undefined ? `revision ${revision}` : release}`);
    }
    warnOfFiles(result, output);
    reportCredits(result.credits, output);
  },
});

function sentence({ lock, folder, fetched, cached, unchanged, removed, lockChanged }: SyncResult): string {
  const what = count(lock.assets.length, 'asset');
  const written = lockChanged ? ' Wrote assets.lock.' : '';
  if (fetched.files + cached.files + removed.length === 0) {
    return `In place, as locked: ${what} in ${folder} (${count(unchanged.files, 'file')}).${written}`;
  }
  const parts = [
    `${count(fetched.files, 'file')}, ${formatBytes(fetched.bytes)} fetched and verified`,
    `${count(cached.files, 'file')} from this machine`,
    `${count(unchanged.files, 'file')} unchanged`,
    ...(removed.length === 0 ? [] : [`${count(removed.length, 'file')} taken away`]),
  ];
  return `Brought ${what} into ${folder}: ${parts.join(', ')}.${written}`;
}

function warnOfFiles({ replaced, left }: SyncResult, output: Output): void {
  warnOfPaths(
    `${count(replaced.length, 'file was', 'files were')} edited here and replaced`,
    replaced,
    output,
  );
  warnOfPaths(
    `${count(left.length, 'file')} no longer used here, but edited; what is there stays, and is yours now`,
    left,
    output,
  );
}
