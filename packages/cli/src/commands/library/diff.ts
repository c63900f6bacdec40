import { formatNumberedAddress, type NumberedAddress, parseNumberedAddress } from '@bindery/sdk';
import type { ChangedFact, Differences, ManifestDiff, TextChange } from '@bindery/sdk/diff';
import type { Version } from '@bindery/sdk/reading';
import { argument, defineCommand, flag, optionalArgument, type Parse, UsageProblem } from '../../command.ts';
import type { Context } from '../../context.ts';
import type { Output } from '../../output/output.ts';
import { formatCount, sanitizeLine } from '../../output/text.ts';
import { releaseAddress, share } from './inputs.ts';
import { localOptions } from './local-options.ts';

/** The library that two sides have in common is named once. */
type OtherSide = NumberedAddress | Pick<NumberedAddress, 'release'>;

/** `<ns/name>`, `<ns/name>@<release>` or `<ns/name>#<revision>`. */
const side: Parse<NumberedAddress> = (value) => {
  const address = parseNumberedAddress(value);
  if (address !== null) return address;
  if (value.includes('#')) throw new UsageProblem('a revision is a number, such as acme/robots#7');
  return releaseAddress(value);
};

/** The same, or only `@<release>`. Shells would take `#<revision>` alone for a comment. */
const otherSide: Parse<OtherSide> = (value) => {
  if (!value.startsWith('@')) return side(value);
  const { release } = releaseAddress(`same/library${value}`);
  return { release };
};

export const diff = defineCommand({
  name: 'diff',
  summary: 'Compare two releases or revisions',
  description:
    'Shows which assets and files were added (+), removed (-) and changed (~), and what is stated differently about them. A revision that was replaced can be compared as long as it is kept, by those who manage the library.',
  inputs: {
    from: argument('<ns/name[@release|#revision]>', 'the earlier one', side),
    to: optionalArgument(
      '[ns/name[@release|#revision]]',
      'the later one; by default the current revision of the same library',
      otherSide,
    ),
    texts: flag('also show which lines of short text files changed'),
    share,
  },
  examples: [
    ['bindery library diff acme/robots@v1', 'since a release'],
    ['bindery library diff acme/robots@v1 @v2 --texts', 'between two releases, line by line'],
    ['bindery library diff acme/robots#7 acme/robots#8', 'between two revisions'],
  ],
  async run({ from: typed, to: other, texts, share }, context) {
    const { diffManifests } = await import('@bindery/sdk/diff');
    const { readVersions } = await import('@bindery/sdk/reading');
    const { namespace, name } = typed;
    const { from, to, shared } = await readVersions(
      await context.client(),
      { ...typed, share },
      { namespace, name, ...other, share },
      await localOptions(context),
    );
    const changed = diffManifests(from.manifest, to.manifest, shared);
    return {
      from: describe(from),
      to: describe(to),
      ...changed,
      ...(texts && { texts: await readTexts(from, to, changed.files.changed, context) }),
    };
  },
  render({ from, to, texts = [], ...diff }, output) {
    for (const { fact, before, after } of diff.library) output.line(`~ library ${told(fact, before, after)}`);
    for (const { mark, list } of marked(diff.assets)) {
      for (const id of list) output.line(`${mark} asset ${sanitizeLine(id)}`);
    }
    for (const { id, facts } of diff.changes) {
      for (const { fact, before, after } of facts)
        output.line(`~ fact  ${sanitizeLine(id)}: ${told(fact, before, after)}`);
    }
    for (const { mark, list } of marked(diff.files)) {
      for (const path of list) output.line(`${mark} file  ${sanitizeLine(path)}`);
    }
    for (const { path, changes } of texts) printText(path, changes, output);
    const between = `${from.library} (revision ${from.revision}) and ${to.library} (revision ${to.revision})`;
    const isSame =
      diff.library.length === 0 &&
      [...marked(diff.assets), ...marked(diff.files)].every(({ list }) => list.length === 0);
    if (isSame) output.line(`There are no differences between ${between}.`);
    else reportDifferences(between, diff, output);
  },
});

function describe({ address, revision }: Version) {
  return { library: formatNumberedAddress(address), revision };
}

interface ChangedText {
  path: string;
  changes: TextChange[];
}

/** Reads the short ones of the changed files, and compares those that are texts. */
async function readTexts(
  from: Version,
  to: Version,
  paths: readonly string[],
  context: Context,
): Promise<ChangedText[]> {
  const { diffTexts, isShortText } = await import('@bindery/sdk/diff');
  const { downloadFiles, filesOf } = await import('@bindery/sdk/reading');
  const client = await context.client();
  const [before, after] = [filesOf(from.manifest.assets), filesOf(to.manifest.assets)];
  const compared: ChangedText[] = [];
  for (const path of paths) {
    const [old, now] = [before.get(path), after.get(path)];
    if (!old || !now || !isShortText(old, now)) continue;
    const was = (await downloadFiles(client, from.address, [old], context.signal)).get(path);
    const is = (await downloadFiles(client, to.address, [now], context.signal)).get(path);
    const changes = was && is ? diffTexts(was, is) : null;
    if (changes !== null) compared.push({ path, changes });
  }
  return compared;
}

function marked({ added, removed, changed }: Differences): { mark: string; list: string[] }[] {
  return [
    { mark: '+', list: added },
    { mark: '-', list: removed },
    { mark: '~', list: changed },
  ];
}

function told(fact: ChangedFact['fact'], before: unknown, after: unknown): string {
  return sanitizeLine(`${fact} ${written(before)} → ${written(after)}`);
}

function written(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}

function printText(path: string, changes: readonly TextChange[], output: Output): void {
  output.line(`@ ${sanitizeLine(path)}`);
  for (const { before, after, lines } of changes) {
    output.line(`  line ${before} → ${after}`);
    for (const line of lines) output.line(`  ${sanitizeLine(line)}`);
  }
}

function reportDifferences(
  between: string,
  { assets, files }: Pick<ManifestDiff, 'assets' | 'files'>,
  output: Output,
): void {
  output.note(`Between ${between}: ${numbers(assets, 'asset')}; ${numbers(files, 'file')}.`);
}

function numbers({ added, removed, changed }: Differences, what: string): string {
  return `${formatCount(added.length, what)} added, ${removed.length} removed, ${changed.length} changed`;
}
