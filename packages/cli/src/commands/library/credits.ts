import { argument, defineCommand, flag, text } from '../../command.ts';
import { formatBytes, formatCount, formatNumber, sanitizeLines } from '../../output/text.ts';
import { VERSION } from '../../version.ts';
import { assets, releasedAsset, releasedLibrary, selection, share, verify } from './inputs.ts';
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

export const exportCommand = defineCommand({
  name: 'export',
  summary: 'Export a mirror that any web server or USB stick can serve',
  description:
    'The folder gets every file by its content, the manifest, and mirror.json, which lists what it holds. Several libraries ' +
    'can share one mirror. Intact files stay, damaged objects are replaced, and an interrupted export resumes where ' +
    'it stopped. A mirror need not be trusted: its readers verify every byte.',
  resumes: true,
  inputs: {
    library: releasedLibrary,
    dir: argument('<dir>', 'the mirror', text),
    verify,
    share,
  },
  examples: [
    ['bindery library export acme/robots@v1.2 /srv/mirror', 'a release'],
    ['bindery library export acme/robots /srv/mirror', 'the current revision'],
    ['bindery library export acme/kitchen /srv/mirror', 'another library in the same mirror'],
    [
      'bindery library export acme/robots /srv/mirror --verify',
      'also read every object that is already there',
    ],
  ],
  async run({ library, dir, verify, share }, context) {
    const { exportLibrary } = await import('@bindery/sdk/reading');
    const parts = await localOptions(context);
    return exportLibrary(await context.client(), { ...library, share }, dir, { ...parts, verify });
  },
  render({ library, revision, folder, fetched, replaced, unchanged }, output) {
    const instead = replaced === 0 ? '' : ` (${formatNumber(replaced)} in place of damaged ones)`;
    const left = unchanged.objects === 0 ? '' : `, ${formatCount(unchanged.objects, 'object')} unchanged`;
    output.line(
      `Exported ${library} revision ${revision} into ${folder}: ${formatCount(fetched.objects, 'object')}, ` +
        `${formatBytes(fetched.bytes)} fetched and verified${instead}${left}.`,
    );
  },
});
