import { formatLibraryAddress } from '@bindery/sdk';
import type { AmentPrefix, SyncResult } from '@bindery/sdk/project-assets';
import { defineCommand, flag, optionalArgument } from '../../command.ts';
import { usageError } from '../../output/command-error.ts';
import type { Output } from '../../output/output.ts';
import { formatCount, formatFiles, formatNumber, sanitizeLine } from '../../output/text.ts';
import { releaseAddress, verify } from '../library/inputs.ts';
import { clientFor, localOptions } from '../library/local-options.ts';
import { mirror, withMirror } from '../library/mirror.ts';
import { warnOfFilesSetAside, warnOfPaths } from '../library/report.ts';
import { requiredSignature, requireSigned, signers } from '../library/signing.ts';
import { credits, creditsOptions, reportCredits } from '../library/write-credits.ts';

export const sync = defineCommand({
  name: 'sync',
  summary: 'Fetch the assets of this project and lock their exact contents',
  description:
    'Puts the assets of assets.yml below assets/ and writes assets.lock, with which anybody gets the same bytes. What is ' +
    'locked stays until --upgrade. With --frozen only the lock is used; if the cache has everything, no network is ' +
    'needed. Every byte that is fetched is verified, and with --verify every byte of the cache and of the project too. Files edited here are reported and never replaced without --force.',
  resumes: true,
  inputs: {
    library: optionalArgument(
      '<ns/name[@release]>',
      'with --upgrade: only this library, to this release',
      releaseAddress,
    ),
    frozen: flag('use assets.lock as it is, and fail if it does not match assets.yml'),
    upgrade: flag('update the lock, and releases in assets.yml, to what is available now'),
    mirror,
    link: flag('hard-link files from the cache; such files are read-only'),
    force: flag('replace files that were edited here'),
    verify,
    requireSigned,
    signers,
    credits,
    ros: flag('also lay out a prefix of ROS 2, in which package:// of the assets resolves'),
  },
  examples: [
    ['bindery sync', 'what assets.yml lists'],
    ['bindery sync --frozen', 'exactly what assets.lock lists, as in continuous integration'],
    ['bindery sync --upgrade ada/robots', 'the robots as they are now, or as last released'],
    ['bindery sync --upgrade ada/robots@v3', 'all of them of one release'],
    ['bindery sync --frozen --credits', 'also write authors and licences to assets/CREDITS.md'],
    ['bindery sync --ros && . assets/.ros/setup.sh', 'for ROS 2, which then finds package:// of the assets'],
    ['bindery sync --frozen --require-signed', 'only what owners of the libraries have signed'],
    ['bindery sync --frozen --mirror /media/stick/mirror', 'from a USB stick that need not be trusted'],
  ],
  async run(
    {
      library,
      frozen,
      upgrade,
      mirror: location,
      credits: credited,
      requireSigned: isRequired,
      signers,
      ...options
    },
    context,
  ) {
    if (library !== undefined && !upgrade) {
      throw usageError(
        'A library can be given only with --upgrade.',
        'Run "bindery sync --upgrade <ns/name>".',
      );
    }
    if (frozen && upgrade) throw usageError('--frozen and --upgrade exclude each other.');
    const { syncProject } = await import('@bindery/sdk/project-assets');
    const parts = await localOptions(context);
    const required = await requiredSignature(isRequired, signers);
    const one = library === undefined ? ('all' as const) : [formatLibraryAddress(library)];
    return withMirror(location, context, (opened) =>
      syncProject(process.cwd(), {
        ...parts,
        ...options,
        frozen,
        upgrade: upgrade ? one : undefined,
        mirror: opened,
        requireSigned: required,
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
    if (result.ros !== undefined) reportPrefix(result.ros, output);
  },
});

function reportPrefix({ setup, packages, ambiguous }: AmentPrefix, output: Output): void {
  output.line(`ROS 2 finds ${formatCount(packages.length, 'package')} after ". ${sanitizeLine(setup)}".`);
  for (const name of packages) output.note(`  package://${name}`);
  warnOfPaths('Several folders have these names as packages; ROS finds only the first', ambiguous, output);
}

function sentence({ lock, folder, fetched, cached, unchanged, removed, lockChanged }: SyncResult): string {
  const assets = formatCount(lock.assets.length, 'asset');
  const written = lockChanged ? ' Wrote assets.lock.' : '';
  if (fetched.files + cached.files + removed.length === 0) {
    return `In sync with the lock: ${assets} in ${folder} (${formatCount(unchanged.files, 'file')}).${written}`;
  }
  const others = [
    [cached.files, 'from cache'],
    [unchanged.files, 'unchanged'],
    [removed.length, 'removed'],
  ] as const;
  const parts = others.flatMap(([number, what]) => (number === 0 ? [] : [`${formatNumber(number)} ${what}`]));
  if (fetched.files > 0) parts.unshift(`${formatFiles(fetched)} fetched and verified`);
  return `Synced ${assets} to ${folder}: ${parts.join(', ')}.${written}`;
}

function warnOfFiles({ replaced, setAside, folder, left }: SyncResult, output: Output): void {
  warnOfPaths(
    `${formatCount(replaced.length, 'file was', 'files were')} edited here and replaced`,
    replaced,
    output,
  );
  warnOfFilesSetAside(setAside, 'replaced, because they were edited during the sync', folder, output);
  warnOfPaths(
    `${formatCount(left.length, 'file')} no longer used here, but edited; they stay and are yours now`,
    left,
    output,
  );
}
