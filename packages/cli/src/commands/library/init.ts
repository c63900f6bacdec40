import { existsSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CURATION_FILE } from '@bindery/contract/wire';
import { argument, defineCommand, text } from '../../command.ts';
import { CommandError } from '../../output/command-error.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { formatCount, sanitizeLine } from '../../output/text.ts';

export const init = defineCommand({
  name: 'init',
  summary: 'Write a bindery.yml that describes what is in a folder, ready to edit',
  description:
    'Finds the assets of a folder as a push does, and writes down their titles, licences and pictures, with ' +
    'the source of each value. Nothing is sent, and no sign-in is needed. An existing bindery.yml is never replaced.',
  inputs: { dir: argument('<dir>', 'the folder', text) },
  examples: [['bindery library init robots', 'robots/bindery.yml, with every asset of the folder']],
  async run({ dir }, { environment, signal }) {
    const file = join(dir, CURATION_FILE);
    if (existsSync(file)) {
      throw new CommandError(EXIT.conflict, 'exists', `${file} already exists.`, {
        next: 'Edit it, or move it away and run this again.',
      });
    }
    const { cacheFolder, discoverFolder, draftCuration } = await import('@bindery/sdk/libraries');
    const found = await discoverFolder(dir, { cacheFolder: cacheFolder(environment), signal });
    writeFileSync(file, draftCuration(found, basename(resolve(dir))), { flag: 'wx' });
    return { file, assets: found.assets.length, warnings: found.warnings };
  },
  render({ file, assets, warnings }, output) {
    for (const warning of warnings) output.warn(sanitizeLine(warning));
    output.line(`Wrote ${sanitizeLine(file)}: ${formatCount(assets, 'asset')}.`);
    output.note(
      `Edit it, then see what a push would do: bindery library push ${sanitizeLine(dirname(file))} --dry-run`,
    );
  },
});
