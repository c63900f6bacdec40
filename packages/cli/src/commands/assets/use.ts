import { join } from 'node:path';
import type { Use } from '@bindery/sdk/project-assets';
import { argument, defineCommand, option, restArguments, text } from '../../command.ts';
import { CommandError, usageError } from '../../output/command-error.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { count } from '../../output/text.ts';

export const use = defineCommand({
  name: 'use',
  summary: 'Add assets to what this project uses',
  description:
    'Writes assets.yml, here or where it is in a folder above; comments and order stay. "bindery sync" then brings the ' +
    'files. With a release the project has the same bytes for good; without one, those of the revision that it is locked to.',
  inputs: {
    asset: restArguments(
      '<ns/library/asset>',
      'assets, patterns such as ns/library/mug-*, or ns/library?kind=mjcf',
      text,
    ),
    as: option('<name>', 'the name of the asset in this project, where there is one asset', text),
  },
  examples: [
    ['bindery use ada/kitchen@v1.2/mug-white', 'an asset of a release'],
    ['bindery use ada/robots/ur5e --as arm', 'under another name'],
    ['bindery use "ada/robots?kind=mjcf" "ada/kitchen@v1.2/mug-*"', 'several'],
  ],
  async run({ asset, as }) {
    const { ASSETS_FILE, formatUse, readProjectOrFolder, withUse, writeProjectFile } = await import(
      '@bindery/sdk/project-assets'
    );
    if (as !== undefined && asset.length > 1) throw usageError('--as is for one asset alone.');
    const uses = await Promise.all(asset.map((written) => readUse(written, as ?? null)));
    const { root, assetsFile } = readProjectOrFolder(process.cwd());
    const next = uses.reduce<string | null>(withUse, assetsFile);
    const file = join(root, ASSETS_FILE);
    if (next !== null && next !== assetsFile) writeProjectFile(file, next);
    return { file, added: next !== assetsFile, uses: uses.map(formatUse) };
  },
  render({ file, added, uses }, output) {
    output.line(added ? `${uses.join(', ')} in ${file}.` : `${file} says so already.`);
    if (added) output.note('"bindery sync" brings the files.');
  },
});

export const unuse = defineCommand({
  name: 'unuse',
  summary: 'Take assets out of what this project uses',
  description: 'Writes assets.yml; "bindery sync" then takes away the files that nobody edited.',
  inputs: {
    asset: argument(
      '<asset>',
      'its name in the project, or as it was used, with its release or without',
      text,
    ),
  },
  examples: [
    ['bindery unuse arm', 'by its name in this project'],
    ['bindery unuse ada/kitchen/mug-white', 'as it was used'],
  ],
  async run({ asset }) {
    const { ASSETS_FILE, readProject, withoutUse, writeProjectFile } = await import(
      '@bindery/sdk/project-assets'
    );
    const { root, assetsFile } = readProject(process.cwd());
    const file = join(root, ASSETS_FILE);
    const { text: next, removed } = withoutUse(assetsFile ?? '', asset);
    if (removed.length === 0) {
      throw new CommandError(EXIT.notFound, 'not_used', `${file} does not use ${asset}.`, {
        next: 'Name it as it is written there, or by its name in the project.',
      });
    }
    writeProjectFile(file, next);
    return { file, removed };
  },
  render({ file, removed }, output) {
    output.line(`Took ${removed.join(', ')} out of ${file}.`);
    output.note(`"bindery sync" takes away the files of ${count(removed.length, 'use')}.`);
  },
});

/** A use as it was typed. */
async function readUse(written: string, as: string | null): Promise<Use> {
  const { parseUse } = await import('@bindery/sdk/project-assets');
  try {
    return parseUse(written, as);
  } catch (error) {
    if (error instanceof TypeError)
      throw usageError(`${error.message}.`, '"bindery use --help" shows how it is typed.');
    throw error;
  }
}
