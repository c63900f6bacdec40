import { ASSET_ID } from '@bindery/contract/wire';
import { formatLibraryAddress } from '@bindery/sdk';
import { argument, defineCommand, restArguments } from '../../command.ts';
import { usageError } from '../../output/command-error.ts';
import { formatBytes, formatCount, sanitizeLine } from '../../output/text.ts';
import { nameParser } from '../../parsers.ts';
import { ownAsset, yes } from './inputs.ts';
import { localOptions } from './local-options.ts';

const MAX_LISTED = 20;

export const rm = defineCommand({
  name: 'rm',
  summary: 'Remove assets from a library',
  description: 'Refuses to empty a library; "bindery library delete" does that, and can be undone.',
  inputs: {
    library: argument('<ns/name[/asset]>', 'the library, or one asset of it', ownAsset),
    ids: { ...restArguments('<id>', 'further assets', nameParser(ASSET_ID)), required: false },
    yes,
  },
  examples: [
    ['bindery library rm acme/robots old-arm old-hand', 'two assets at once, after a prompt'],
    ['bindery library rm acme/robots/old-arm --yes', 'without a prompt, for scripts'],
  ],
  async run({ library, ids: others = [], yes }, context) {
    const ids = library.asset === undefined ? others : [library.asset, ...others];
    if (ids.length === 0)
      throw usageError('No asset is named.', '"bindery library delete" removes the whole library.');
    const { removeAssets } = await import('@bindery/sdk/libraries');
    const { filesOf, readHead, readRemoteLibrary } = await import('@bindery/sdk/reading');
    const client = await context.signedInClient();
    const parts = await localOptions(context);
    const head = await readHead(client, library, context.signal);
    const { manifest } = await readRemoteLibrary(client, library, head, parts);
    const removed = [...new Set(ids)];
    const [gone, stays] = [true, false].map((isGone) =>
      filesOf(manifest.assets.filter(({ id }) => removed.includes(id) === isGone)),
    ) as [FilesByPath, FilesByPath];
    const lost = [...gone.values()].filter(({ path }) => !stays.has(path));
    const bytes = lost.reduce((sum, { size }) => sum + size, 0);
    const taken = { library: formatLibraryAddress(library), removed, files: lost.length, bytes };
    await context.confirm(`Remove ${describe(taken)}?`, { yes, nonInteractive: 'refuse' });
    const { library: row, warnings } = await removeAssets(client, library, ids, parts);
    return { ...taken, revision: row.revision, warnings };
  },
  render({ revision, warnings, ...taken }, output) {
    for (const warning of warnings) output.warn(sanitizeLine(warning));
    output.line(`Removed ${describe(taken)}, now at revision ${revision}.`);
  },
});

type FilesByPath = ReturnType<typeof import('@bindery/sdk/reading').filesOf>;

/** What a removal takes from a library. */
interface Taken {
  library: string;
  removed: readonly string[];
  /** Files that no other asset has. */
  files: number;
  bytes: number;
}

function describe({ library, removed, files, bytes }: Taken): string {
  const more = removed.length > MAX_LISTED ? ` and ${removed.length - MAX_LISTED} more` : '';
  const assets = `${formatCount(removed.length, 'asset')} (${removed.slice(0, MAX_LISTED).join(', ')}${more})`;
  return `${assets} with ${formatCount(files, 'file')}, ${formatBytes(bytes)}, from ${library}`;
}
