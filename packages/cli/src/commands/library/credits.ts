import { defineCommand, flag } from '../../command.ts';
import { sanitizeLines } from '../../output/text.ts';
import { VERSION } from '../../version.ts';
import { assets, releasedAsset, selection, share } from './inputs.ts';
import { localOptions } from './local-options.ts';
import { sourceDateEpoch } from './write-credits.ts';

export const credits = defineCommand({
  name: 'credits',
  summary: 'List the authors, sources and licences of a library',
  description:
    'Prints a page in Markdown: title, author, source and licence of each asset, grouped by licence, as stated by the publisher. ' +
    'Assets without a licence come first; nothing is guessed.',
  inputs: {
    library: releasedAsset,
    asset: assets,
    spdx: flag('print an SPDX 2.3 document in JSON, for tools that read SBOMs'),
    share,
  },
  examples: [
    ['bindery library credits acme/robots > CREDITS.md', 'the whole library'],
    ['bindery library credits acme/robots --asset "arm*" --spdx', 'some assets, for a tool'],
  ],
  async run({ library, asset, spdx, share }, context) {
    const address = { ...library, share };
    const client = await context.client();
    const { readHead, readRemoteLibrary, selectAssets } = await import('@bindery/sdk/reading');
    const { creditedRevision, creditsAsMarkdown, creditsAsSpdx, creditsOf } = await import(
      '@bindery/sdk/credits'
    );
    const head = await readHead(client, address, context.signal);
    const { manifest } = await readRemoteLibrary(client, address, head, await localOptions(context));
    const revision = creditedRevision(client.baseUrl, address, head.row);
    const found = creditsOf(
      revision,
      manifest,
      selectAssets(revision.library, manifest, selection({ library, asset })),
    );
    const created = sourceDateEpoch(context.environment) ?? head.row.updatedAt;
    return {
      credits: found,
      markdown: creditsAsMarkdown([found]),
      spdx: spdx ? creditsAsSpdx([found], { version: VERSION, created }) : null,
    };
  },
  render({ markdown, spdx }, output) {
    if (spdx === null) output.line(sanitizeLines(markdown).trimEnd());
    else output.value(spdx);
  },
  json: ({ credits, spdx }) => spdx ?? credits,
});
