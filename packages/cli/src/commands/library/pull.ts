import type { PullResult } from '@bindery/sdk/reading';
import { defineCommand, flag } from '../../command.ts';
import type { Output } from '../../output/output.ts';
import { formatBytes, formatCount, formatNumber } from '../../output/text.ts';
import { all, assets, releasedAsset, selection, share, target, verify } from './inputs.ts';
import { localOptions } from './local-options.ts';
import { mirror, withMirror } from './mirror.ts';
import { warnOfPaths } from './warn-of-paths.ts';
import { credits, creditsOptions, reportCredits } from './write-credits.ts';

export const pull = defineCommand({
  name: 'pull',
  summary: 'Download a library, or some of its assets, into a folder',
  description:
    'Files that are already there byte for byte are skipped, every byte fetched is verified before it is visible, and an ' +
    'interrupted pull resumes where it stopped. A file that differs from the library is replaced, with --keep only if it ' +
    'was not edited here since the folder last matched the library; files that the library does not have are ' +
    'never touched.',
  resumes: true,
  inputs: {
    library: releasedAsset,
    out: target,
    asset: assets,
    all,
    noCache: flag('neither use the cache of this machine nor add to it'),
    keep: flag('keep files that were edited here, and list them'),
    verify,
    mirror,
    credits,
    share,
  },
  examples: [
    ['bindery library pull acme/robots -o robots', 'the whole library'],
    ['bindery library pull acme/robots@v1.2 -o robots', 'the library as it was released'],
    ['bindery library pull acme/robots/arm', 'one asset with everything it needs, into the folder robots'],
    ['bindery library pull acme/robots --asset "arm*" --asset hand -o robots', 'several'],
    [
      'bindery library pull acme/robots --keep -o robots',
      'what others changed, keeping what was edited here',
    ],
    [
      'bindery library pull acme/robots --mirror /media/stick/mirror -o robots',
      'the bytes come from a mirror',
    ],
  ],
  async run(inputs, context) {
    const {
      library,
      out = inputs.library.name,
      share,
      keep,
      verify,
      noCache,
      mirror: location,
      ...chosen
    } = inputs;
    const { pullLibrary } = await import('@bindery/sdk/reading');
    const parts = await localOptions(context);
    const client = await context.client();
    return withMirror(location, context, (mirror) =>
      pullLibrary(client, { ...library, share }, out, {
        ...parts,
        ...selection({ library, ...chosen }),
        cache: !noCache && parts.cache,
        keep,
        verify,
        mirror,
        credits: creditsOptions(chosen.credits, context.environment),
      }),
    );
  },
  render(result, output) {
    output.line(sentence(result));
    warnOfEdits(result, output);
    reportCredits(result.credits, output);
  },
});

function sentence({
  library,
  revision,
  assets,
  fetched,
  cached,
  replaced,
  kept,
  unchanged,
  folder,
}: PullResult): string {
  const what = describe(library, assets);
  if (fetched.files + cached.files === 0 && kept.length === 0) {
    return `${what} is up to date in ${folder} (revision ${revision}, ${formatCount(unchanged.files, 'file')}).`;
  }
  const instead = replaced === 0 ? '' : ` (${formatNumber(replaced)} in place of what was there)`;
  const known = cached.files === 0 ? '' : `, ${formatCount(cached.files, 'file')} from this machine`;
  const left = unchanged.files === 0 ? '' : `, ${formatCount(unchanged.files, 'file')} unchanged`;
  const edited = kept.length === 0 ? '' : `, ${formatNumber(kept.length)} kept as edited here`;
  return `Pulled ${what} revision ${revision} into ${folder}: ${formatCount(fetched.files, 'file')}, ${formatBytes(fetched.bytes)} fetched and verified${known}${instead}${left}${edited}.`;
}

function describe(library: string, assets: readonly string[] | null): string {
  if (assets === null) return library;
  return assets.length === 1
    ? `${library}/${assets[0]}`
    : `${formatCount(assets.length, 'asset')} of ${library}`;
}

function warnOfEdits({ edited, kept, leftBehind }: PullResult, output: Output): void {
  warnOfPaths(
    `${formatCount(edited.length, 'file was', 'files were')} edited here since the folder last matched the library, and replaced; --keep keeps such files`,
    edited,
    output,
  );
  warnOfPaths(`${formatCount(kept.length, 'file was', 'files were')} edited here and kept`, kept, output);
  warnOfPaths(
    `${formatCount(leftBehind.length, 'file was', 'files were')} removed from the library and are still here; delete them, or a push would bring them back`,
    leftBehind,
    output,
  );
}
