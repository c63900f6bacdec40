import { formatLibraryAddress, type LibraryAddress } from '@bindery/sdk';
import type { Differences, ManifestDiff } from '@bindery/sdk/reading';
import { argument, defineCommand } from '../../command.ts';
import type { Context } from '../../context.ts';
import type { Output } from '../../output/output.ts';
import { formatCount, sanitizeLine } from '../../output/text.ts';
import { releaseAddress, share } from './inputs.ts';
import { localOptions } from './local-options.ts';

export const diff = defineCommand({
  name: 'diff',
  summary: 'Compare two releases, or a release with the current revision',
  inputs: {
    from: argument('<ns/name[@release]>', 'the earlier one', releaseAddress),
    to: argument('<ns/name[@release]>', 'the later one', releaseAddress),
    share,
  },
  examples: [
    ['bindery library diff acme/robots@v1 acme/robots@v2', 'between two releases'],
    ['bindery library diff acme/robots@v1 acme/robots', 'since a release'],
  ],
  async run({ from, to, share }, context) {
    const { diffManifests } = await import('@bindery/sdk/reading');
    const before = await readVersion({ ...from, share }, context);
    const after = await readVersion({ ...to, share }, context);
    const { manifest: _, ...described } = before;
    const { manifest: __, ...describedAfter } = after;
    return { from: described, to: describedAfter, ...diffManifests(before.manifest, after.manifest) };
  },
  render({ from, to, assets, files }, output) {
    for (const { mark, list } of marked(assets)) {
      for (const id of list) output.line(`${mark} asset ${sanitizeLine(id)}`);
    }
    for (const { mark, list } of marked(files)) {
      for (const path of list) output.line(`${mark} file  ${sanitizeLine(path)}`);
    }
    const isSame = [...marked(assets), ...marked(files)].every(({ list }) => list.length === 0);
    const between = `${from.library} (revision ${from.revision}) and ${to.library} (revision ${to.revision})`;
    if (isSame) output.line(`There are no differences between ${between}.`);
    else reportDifferences(between, { assets, files }, output);
  },
});

/** Reads one side of the comparison. */
async function readVersion(address: LibraryAddress, context: Context) {
  const { readHead, readRemoteLibrary } = await import('@bindery/sdk/reading');
  const client = await context.client();
  const head = await readHead(client, address, context.signal);
  const { manifest } = await readRemoteLibrary(client, address, head, await localOptions(context));
  return { library: formatLibraryAddress(address), revision: head.row.revision, manifest };
}

function marked({ added, removed, changed }: Differences): { mark: string; list: string[] }[] {
  return [
    { mark: '+', list: added },
    { mark: '-', list: removed },
    { mark: '~', list: changed },
  ];
}

function reportDifferences(between: string, { assets, files }: ManifestDiff, output: Output): void {
  output.note(`Between ${between}: ${numbers(assets, 'asset')}; ${numbers(files, 'file')}.`);
}

function numbers({ added, removed, changed }: Differences, what: string): string {
  return `${formatCount(added.length, what)} added, ${removed.length} removed, ${changed.length} changed`;
}
