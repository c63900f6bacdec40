import { join } from 'node:path';
import { ASSET_ID } from '@bindery/contract/wire';
import { type AssetAddress, formatLibraryAddress } from '@bindery/sdk';
import { argument, defineCommand, option, type Parse, text } from '../../command.ts';
import { CommandError, usageError } from '../../output/command-error.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { formatCount, sanitizeLine } from '../../output/text.ts';
import { assetAddress, share, verify } from '../library/inputs.ts';
import { clientFor, localOptions } from '../library/local-options.ts';
import { mirror, withMirror } from '../library/mirror.ts';

/** A name in a lock has no slash. */
const addressOrName: Parse<AssetAddress | string> = (value) =>
  ASSET_ID.pattern.test(value) ? value : assetAddress(value);

export const path = defineCommand({
  name: 'path',
  summary: 'Print where an asset is in the cache of this machine, fetching it first if need be',
  description:
    'Prints the absolute path of the file that opens the asset. All of its files are there, read-only, with the paths ' +
    'that they have in the library, so that a program can open them where they are. A release, and what a lock names, need no network once ' +
    'they are in the cache.',
  resumes: true,
  inputs: {
    asset: argument(
      '<ns/name[@release]/asset>',
      'the asset, or its name in the lock of this project',
      addressOrName,
    ),
    file: option('<path>', 'another file of the asset, by its path in the library', text),
    mirror,
    verify,
    share,
  },
  examples: [
    ['python3 -m mujoco.viewer --mjcf="$(bindery path ada/robots@v1.2/arm)"', 'in the viewer of MuJoCo'],
    ['bindery path arm', 'what assets.lock of this project calls arm'],
    ['bindery path ada/robots/arm --file arm/meshes/link.stl', 'another file of the asset'],
  ],
  async run({ asset: address, file, mirror: location, verify, share }, context) {
    const parts = await localOptions(context);
    const placed = await withMirror(location, context, async (opened) => {
      const options = { ...parts, verify, mirror: opened };
      if (typeof address === 'string') {
        const { placeLockedInCache } = await import('@bindery/sdk/project-assets');
        return placeLockedInCache(process.cwd(), address, { ...options, clientFor: clientFor(context) });
      }
      const { asset, ...library } = address;
      if (asset === undefined) {
        const name = formatLibraryAddress(library);
        throw usageError('One asset is needed.', `"bindery ls ${name}" lists the files of ${name}.`);
      }
      const { placeInCache } = await import('@bindery/sdk/reading');
      const client = await context.client();
      return { ...(await placeInCache(client, { ...library, share }, asset, options)), asset };
    });
    const { revision, asset, folder, entry, files, fetched } = placed;
    const chosen = file ?? entry;
    if (chosen === null) {
      throw new CommandError(EXIT.notFound, 'no_entry', `${asset} names no file that opens it.`, {
        next: `Choose one of its ${formatCount(files.length, 'file')} with --file, such as ${sanitizeLine(files[0]?.path ?? '')}.`,
      });
    }
    if (!files.some(({ path }) => path === chosen)) {
      throw new CommandError(EXIT.notFound, 'not_found', `${asset} has no file ${sanitizeLine(chosen)}.`, {});
    }
    return { library: placed.library, revision, asset, path: join(folder, chosen), fetched };
  },
  render(result, output) {
    output.line(result.path);
  },
});
