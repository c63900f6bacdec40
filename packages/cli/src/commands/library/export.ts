import { argument, defineCommand, text } from '../../command.ts';
import { count, formatBytes, formatNumber } from '../../output/text.ts';
import { releasedLibrary, share, verify } from './inputs.ts';
import { localParts } from './local-parts.ts';

export const exportCommand = defineCommand({
  name: 'export',
  summary: 'Write a mirror that any web server or stick can serve',
  description:
    'The folder gets every file by its content, the manifest, and mirror.json, which names what it holds. Several libraries ' +
    'may share one mirror. What is there whole stays, a damaged object is replaced, and an interrupted export goes on where ' +
    'it stopped. Nobody need trust a mirror: whoever reads it verifies every byte.',
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
    ['bindery library export acme/robots@v1.2 /srv/mirror', 'a release'],
    ['bindery library export acme/robots /srv/mirror --verify', 'and every object that is there read again'],
  ],
  async run({ library, dir, verify, share }, context) {
    const { exportLibrary } = await import('@bindery/sdk/reading');
    const parts = await localParts(context);
    return exportLibrary(await context.client(), { ...library, share }, dir, { ...parts, verify });
  },
  render({ library, revision, folder, fetched, replaced, unchanged }, output) {
    const instead = replaced === 0 ? '' : ` (${formatNumber(replaced)} in place of damaged ones)`;
    const left = unchanged.objects === 0 ? '' : `, ${count(unchanged.objects, 'object')} unchanged`;
    output.line(
      `Exported ${library} revision ${revision} into ${folder}: ${count(fetched.objects, 'object')}, ` +
        `${formatBytes(fetched.bytes)} fetched and verified${instead}${left}.`,
    );
  },
});
