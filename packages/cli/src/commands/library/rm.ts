import { ASSET_ID } from '@bindery/contract/wire';
import { defineCommand, restArguments } from '../../command.ts';
import { count, plain } from '../../output/text.ts';
import { named } from '../../parsers.ts';
import { library, yes } from './inputs.ts';
import { localParts } from './local-parts.ts';

export const rm = defineCommand({
  name: 'rm',
  summary: 'Remove assets from a library',
  description: 'Refuses to empty a library; "bindery library delete" does that, and can be undone.',
  inputs: { library, ids: restArguments('<id>', 'the assets', named(ASSET_ID)), yes },
  examples: [
    ['bindery library rm acme/robots old-arm old-hand', 'two assets at once, after a prompt'],
    ['bindery library rm acme/robots old-arm --yes', 'without a prompt, for scripts'],
  ],
  async run({ library, ids, yes }, context) {
    const { removeAssets } = await import('@bindery/sdk/libraries');
    const client = await context.signedInClient();
    const name = `${library.namespace}/${library.name}`;
    await context.confirm(`Remove ${count(ids.length, 'asset')} from ${name}?`, {
      yes,
      offTerminal: 'refuse',
    });
    const edited = await removeAssets(client, library, ids, await localParts(context));
    const { library: row, warnings } = edited;
    return { library: name, revision: row.revision, removed: [...new Set(ids)], warnings };
  },
  render({ library, revision, removed, warnings }, output) {
    for (const warning of warnings) output.warn(plain(warning));
    output.line(`Removed ${count(removed.length, 'asset')} from ${library}, now at revision ${revision}.`);
  },
});
