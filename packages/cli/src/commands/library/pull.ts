import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { CONVERSION_FORMATS } from '@bindery/contract/wire';
import type { ConvertedPull, PullResult } from '@bindery/sdk/reading';
import { defineCommand, flag, oneOf, option } from '../../command.ts';
import { usageError } from '../../output/command-error.ts';
import type { Output } from '../../output/output.ts';
import { formatCount, formatFiles, formatNumber, sanitizeLine } from '../../output/text.ts';
import { all, assets, readableAsset, selection, share, target, verify } from './inputs.ts';
import { localOptions } from './local-options.ts';
import { mirror, withMirror } from './mirror.ts';
import { simReadyInputs, simReadyOf } from './prop.ts';
import { convertedPull, reportConverted } from './pull-converted.ts';
import { notePaths, warnOfFilesSetAside, warnOfPaths } from './report.ts';
import { requiredSignature, requireSigned, signers } from './signing.ts';
import { credits, creditsOptions, reportCredits } from './write-credits.ts';

export const pull = defineCommand({
  name: 'pull',
  summary: 'Download a library, or some of its assets, into a folder',
  description:
    'Files that are already there byte for byte are skipped, every byte fetched is verified before it is visible, and an ' +
    'interrupted pull resumes where it stopped. A file that differs from the library is replaced, with --keep only if it ' +
    'was not edited here since the folder last matched the library. An edited bindery.yml is merged with that of the ' +
    'library, key by key. What is replaced and exists nowhere else is moved to ' +
    '.bindery/replaced/<time>/ in the folder first, and deleted by a pull after 30 days. Files that the library does not ' +
    'have are never touched, except with --prune.\n\n' +
    '--as writes one asset in another format into a new folder. It is converted on this machine, and only if the result is ' +
    'proved to be the same model; what the format cannot say is listed.\n\n' +
    '--sim-ready makes a rigid body of a mesh, which the library keeps as it is: mass and inertia of the material, the ' +
    'density or the mass that you give, and convex parts to collide with. It is let fall, stacked and held between two ' +
    'plates in MuJoCo, and told what came of it.',
  resumes: true,
  inputs: {
    library: readableAsset,
    out: target,
    asset: assets,
    all,
    as: option('<format>', 'convert the asset into a new folder', oneOf(...CONVERSION_FORMATS)),
    inline: flag('with --as urdf: one file, with its meshes as data URIs'),
    simReady: flag('with --as: give a mesh mass, inertia and convex parts, tried in MuJoCo'),
    ...simReadyInputs,
    noCache: flag('neither use the cache of this machine nor add to it'),
    keep: flag('keep files that were edited here, and do not restore deleted ones; list both'),
    force: flag('replace files without moving them to .bindery/replaced/ first'),
    prune: flag('delete files that the library no longer has, unless they were edited here'),
    verify,
    mirror,
    requireSigned,
    signers,
    credits,
    share,
  },
  examples: [
    ['bindery library pull acme/robots -o robots', 'the whole library'],
    ['bindery library pull acme/robots@v1.2 -o robots', 'the library as it was released'],
    ['bindery library pull acme/robots#3 -o robots-3', 'the library as it was at revision 3; for members'],
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
    ['bindery library pull acme/robots@v1.2 --require-signed', 'only if an owner signed the release'],
    ['bindery library pull acme/robots/arm --as usd -o arm-usd', 'one asset in another format'],
    ['bindery library pull acme/robots/arm --as urdf --inline', 'a robot in one file'],
    [
      'bindery library pull acme/scans/mug --as mjcf --sim-ready --material ceramic --height 0.1',
      'a mesh as a rigid body',
    ],
  ],
  async run(inputs, context): Promise<PullResult | ConvertedPull> {
    const { library, as, share, noCache, mirror: location, ...chosen } = inputs;
    if (chosen.keep && chosen.force) throw usageError('--keep and --force exclude each other.');
    const signed = await requiredSignature(chosen.requireSigned, chosen.signers);
    if (signed && as !== undefined)
      throw usageError(
        '--require-signed and --as exclude each other.',
        'Pull the signed files, and convert them from there.',
      );
    const { out = as === undefined ? library.name : `${library.asset ?? library.name}-${as}` } = inputs;
    await refuseTrustedTarget(out);
    if (as !== undefined && library.revision !== undefined)
      throw usageError(
        '--as converts from the current revision or a release.',
        'Pull the revision without it.',
      );
    if (inputs.inline && as !== 'urdf') throw usageError('--inline goes with --as urdf.');
    if (inputs.simReady && as === undefined) throw usageError('--sim-ready goes with --as.');
    const simReady = simReadyOf('--sim-ready', inputs.simReady, inputs);
    if (as !== undefined) return convertedPull({ ...inputs, out, as, simReady }, context);
    const { pullLibrary } = await import('@bindery/sdk/reading');
    const parts = await localOptions(context);
    const client = await context.client();
    return withMirror(location, context, (mirror) =>
      pullLibrary(client, { ...library, share }, out, {
        ...parts,
        ...selection({ library, ...chosen }),
        cache: !noCache && parts.cache,
        keep: chosen.keep,
        force: chosen.force,
        prune: chosen.prune,
        verify: chosen.verify,
        mirror,
        requireSigned: signed,
        credits: creditsOptions(chosen.credits, context.environment),
      }),
    );
  },
  render(result, output) {
    if ('as' in result) return reportConverted(result, output);
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
  merged,
  kept,
  deleted,
  pruned,
  unchanged,
  folder,
}: PullResult): string {
  const what = describe(library, assets);
  if (fetched.files + cached.files + kept.length + deleted.length + pruned.length === 0 && merged === null) {
    return `${what} is up to date in ${folder} (revision ${revision}, ${formatCount(unchanged.files, 'file')}).`;
  }
  const others = [
    [replaced.length, 'replaced'],
    [merged === null ? 0 : 1, 'merged'],
    [cached.files, 'from cache'],
    [unchanged.files, 'unchanged'],
    [kept.length, kept.length === 1 ? 'local edit kept' : 'local edits kept'],
    [deleted.length, 'not restored'],
    [pruned.length, 'deleted'],
  ] as const;
  const parts = others.flatMap(([number, what]) => (number === 0 ? [] : [`${formatNumber(number)} ${what}`]));
  if (fetched.files > 0) parts.unshift(`${formatFiles(fetched)} fetched and verified`);
  return `Pulled revision ${revision} of ${what} into ${folder}: ${parts.join(', ')}.`;
}

function describe(library: string, assets: readonly string[] | null): string {
  if (assets === null) return library;
  return assets.length === 1
    ? `${library}/${assets[0]}`
    : `${formatCount(assets.length, 'asset')} of ${library}`;
}

function warnOfEdits(result: PullResult, output: Output): void {
  const { edited, setAside, replaced, kept, deleted, pruned, refused, unsupported, leftBehind, recorded } =
    result;
  const since = 'edited here since the folder last matched the library';
  const lost = setAside === null ? edited : edited.filter((path) => !setAside.files.includes(path));
  warnOfPaths(
    `${formatCount(lost.length, 'file was', 'files were')} ${since}, and replaced; --keep keeps such files`,
    lost,
    output,
  );
  const told = new Set([...edited, ...(setAside?.files ?? [])]);
  notePaths(
    'replaced by what others published',
    replaced.filter((path) => !told.has(path)),
    output,
  );
  reportMerge(result, output);
  warnOfFilesSetAside(setAside, 'replaced here; --keep keeps such files', result.folder, output);
  warnOfPaths(
    recorded
      ? `${formatCount(kept.length, 'file was', 'files were')} edited here and kept`
      : `${formatCount(kept.length, 'file differs', 'files differ')} from the library and may have been edited here, and stayed as they were`,
    kept,
    output,
  );
  warnOfPaths(
    `${formatCount(deleted.length, 'file was', 'files were')} deleted here and not restored; a pull without --keep restores them`,
    deleted,
    output,
  );
  warnOfPaths(
    `${formatCount(pruned.length, 'file was', 'files were')} removed from the library and deleted here`,
    pruned,
    output,
  );
  warnOfPaths(
    `${formatCount(refused.length, 'file was', 'files were')} not placed, because other programs run or trust what is there`,
    refused,
    output,
  );
  warnOfPaths(
    `${formatCount(unsupported.length, 'file was', 'files were')} not placed, because the disk of the folder does not allow such names`,
    unsupported,
    output,
  );
  warnOfPaths(
    `${formatCount(leftBehind.length, 'file')} removed from the library, but still here; delete what is not yours, or a push would bring it back`,
    leftBehind,
    output,
  );
}

/** Names what both sides changed in `bindery.yml`, with both versions. */
function reportMerge({ merged, setAside }: PullResult, output: Output): void {
  if (merged === null) return;
  const { file, conflicts } = merged;
  if (conflicts.length === 0) {
    output.note(`${file} has your edits and what others changed; push to publish both.`);
    return;
  }
  const isTheirs = setAside?.files.includes(file) === true;
  warnOfPaths(
    `${formatCount(conflicts.length, 'value')} of ${file} changed here and there; it has ${isTheirs ? "the library's" : 'yours'}`,
    conflicts.map(
      ({ path, mine, theirs }) => `${path.join('.')}: ${shown(mine)} here, ${shown(theirs)} there`,
    ),
    output,
  );
  if (!isTheirs)
    output.note(`Edit ${file} to merge them and push, or publish yours as they are: push --force=${file}`);
}

function shown(value: unknown): string {
  return value === undefined ? 'removed' : JSON.stringify(value);
}

/** Throws a usage error if a folder that somebody named is one that other programs trust. The working folder may be in one. */
export async function refuseTrustedTarget(target: string): Promise<void> {
  const { trustedPart } = await import('@bindery/sdk/reading');
  const real = realPathOf(resolve(target));
  const below = relative(realPathOf(process.cwd()), real);
  const isBelow = below !== '..' && !below.startsWith(`..${sep}`) && resolve(below) !== below;
  const part = trustedPart((isBelow ? below : real).replaceAll(sep, '/'));
  if (part === null) return;
  throw usageError(
    `${sanitizeLine(target)} is in ${part}, where other programs find what they run or trust.`,
    'Choose another folder.',
  );
}

/** Resolves the links of a path that need not exist. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPathOf(above), basename(path));
  }
}
