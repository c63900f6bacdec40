import { join } from 'node:path';
import { NetworkError } from '@bindery/sdk';
import type { Use } from '@bindery/sdk/project-assets';
import { argument, defineCommand, option, restArguments, text } from '../../command.ts';
import type { Context } from '../../context.ts';
import { CommandError, usageError } from '../../output/command-error.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { sanitizeLine } from '../../output/text.ts';
import { clientFor } from '../library/local-options.ts';

export const use = defineCommand({
  name: 'use',
  summary: 'Add assets to this project',
  description:
    'Writes assets.yml, here or in the nearest folder above that has one; comments and order stay. "bindery sync" then fetches the ' +
    'files. With a release the project always has the same bytes; without one, those of the revision that it is locked to. ' +
    'A project has one release of a library: its other uses move to the one that is given.',
  inputs: {
    asset: restArguments(
      '<ns/library/asset>',
      'assets, patterns such as ns/library/mug-*, or ns/library?kind=mjcf',
      text,
    ),
    as: option('<name>', 'the name of the asset in this project, for a single asset', text),
  },
  examples: [
    ['bindery use ada/kitchen@v1.2/mug-white', 'an asset of a release'],
    ['bindery use ada/robots/ur5e --as arm', 'under another name'],
    ['bindery use "ada/robots?kind=mjcf" "ada/kitchen@v1.2/mug-*"', 'several'],
  ],
  async run({ asset, as }, context) {
    const { ASSETS_FILE, formatUse, parseAssetsFile, readProjectOrFolder, withUse, writeProjectFile } =
      await import('@bindery/sdk/project-assets');
    if (as !== undefined && asset.length > 1) throw usageError('--as takes a single asset.');
    const uses = await Promise.all(asset.map((written) => readUse(written, as ?? null)));
    const { root, assetsFile } = readProjectOrFolder(process.cwd());
    const next = uses.reduce<string | null>(withUse, assetsFile) ?? '';
    const file = join(root, ASSETS_FILE);
    const listed = (text: string | null) => parseAssetsFile(text ?? '').uses.map(formatUse);
    const before = new Set(listed(assetsFile));
    const added = uses.map(formatUse);
    const moved = listed(next).filter((use) => !before.has(use) && !added.includes(use));
    if (next === (assetsFile ?? '')) return { file, added: false, uses: added, moved };
    await refuseMissing(next, uses, context);
    writeProjectFile(file, next);
    return { file, added: true, uses: added, moved };
  },
  render({ file, added, uses, moved }, output) {
    if (moved.length > 0) output.note(`Of the same release now: ${moved.join(', ')}`);
    output.line(added ? `${uses.join(', ')} in ${file}.` : `${file} already lists this.`);
    if (added) output.note('"bindery sync" fetches the files.');
  },
});

export const unuse = defineCommand({
  name: 'unuse',
  summary: 'Remove assets from this project',
  description: 'Writes assets.yml; "bindery sync" then removes the files that nobody edited.',
  inputs: {
    asset: argument(
      '<asset>',
      'its name in the project, or its address as used, with or without the release',
      text,
    ),
  },
  examples: [
    ['bindery unuse arm', 'by its name in this project'],
    ['bindery unuse ada/kitchen/mug-white', 'by the address it was used with'],
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
        next: 'Use the address as it is written there, or its name in the project.',
      });
    }
    writeProjectFile(file, next);
    return { file, removed };
  },
  render({ file, removed }, output) {
    output.line(`Removed ${removed.join(', ')} from ${file}.`);
    output.note(`"bindery sync" removes their files, unless somebody edited them.`);
  },
});

/** Throws if a library does not have what is used of it. Without a network, nobody knows. */
async function refuseMissing(assetsFile: string, uses: readonly Use[], context: Context): Promise<void> {
  const { refuseMissingUses } = await import('@bindery/sdk/project-assets');
  try {
    await refuseMissingUses(assetsFile, uses, {
      objects: null,
      clientFor: clientFor(context),
      signal: context.signal,
    });
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    context.output.warn(`not checked, because the service cannot be reached: ${sanitizeLine(error.message)}`);
  }
}

/** Parses a use as it was typed. */
async function readUse(written: string, as: string | null): Promise<Use> {
  const { parseUse } = await import('@bindery/sdk/project-assets');
  try {
    return parseUse(written, as);
  } catch (error) {
    if (error instanceof TypeError)
      throw usageError(`${error.message}.`, '"bindery use --help" shows how to use it.');
    throw error;
  }
}
