import { existsSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CURATION_FILE } from '@bindery/contract/wire';
import { argument, defineCommand, text } from '../../command.ts';
import { CommandError } from '../../output/command-error.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { count, plain } from '../../output/text.ts';

export const init = defineCommand({
  name: 'init',
  summary: 'Write a bindery.yml with what a folder holds, ready to be edited',
  description:
    'Finds the assets of a folder as a push does, and writes what they are called, are licensed under and look like, with ' +
    'where each value was read. Nothing is sent, and no sign-in is needed. A bindery.yml that is there is never replaced.',
  inputs: { dir: argument('<dir>', 'the folder', text) },
  examples: [['bindery library init robots', 'robots/bindery.yml, with every asset of the folder']],
  async run({ dir }, { environment }) {
    const file = join(dir, CURATION_FILE);
    if (existsSync(file)) {
      throw new CommandError(EXIT.conflict, 'exists', `${file} is there already.`, {
        next: 'Edit it, or move it away and run this again.',
      });
    }
    const { cacheFolder, discoverLibrary, draftCuration } = await import('@bindery/sdk/libraries');
    const found = discoverLibrary(dir, { cacheFolder: cacheFolder(environment) });
    writeFileSync(file, draftCuration(found, basename(resolve(dir))), { flag: 'wx' });
    return { file, assets: found.assets.length, warnings: found.warnings };
  },
  render({ file, assets, warnings }, output) {
    for (const warning of warnings) output.warn(plain(warning));
    output.line(`Wrote ${plain(file)}: ${count(assets, 'asset')}.`);
    output.note(
      `Edit it, then see what a push would do: bindery library push ${plain(dirname(file))} --dry-run`,
    );
  },
});
