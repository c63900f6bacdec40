import { argument, defineCommand, text } from '../../command.ts';
import { formatBytes, formatCount, formatNumber } from '../../output/text.ts';
import { releasedLibrary, share, verify } from './inputs.ts';
import { localOptions } from './local-options.ts';

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
