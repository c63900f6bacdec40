import { ASSET_ID } from '@bindery/contract/wire';
import { argument, defineCommand, restArguments } from '../../command.ts';
import { usageError } from '../../output/command-error.ts';
import { formatCount, sanitizeLine } from '../../output/text.ts';
import { nameParser } from '../../parsers.ts';
import { ownAsset, yes } from './inputs.ts';
import { localOptions } from './local-options.ts';

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
    const client = await context.signedInClient();
    const name = `${library.namespace}/${library.name}`;
    await context.confirm(`Remove ${formatCount(ids.length, 'asset')} from ${name}?`, {
      yes,
      nonInteractive: 'refuse',
    });
    const edited = await removeAssets(client, library, ids, await localOptions(context));
    const { library: row, warnings } = edited;
    return { library: name, revision: row.revision, removed: [...new Set(ids)], warnings };
  },
  render({ library, revision, removed, warnings }, output) {
    for (const warning of warnings) output.warn(sanitizeLine(warning));
    output.line(
      `Removed ${formatCount(removed.length, 'asset')} from ${library}, now at revision ${revision}.`,
    );
  },
});
