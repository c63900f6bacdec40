import { ASSET_ID, VISIBILITIES } from '@bindery/contract/wire';
import { globProblem, type LibraryAddress, parseLibraryAddress } from '@bindery/sdk';
import {
  argument,
  flag,
  oneOf,
  option,
  type Parse,
  repeatedOption,
  requiredOption,
  text,
  UsageProblem,
} from '../../command.ts';
import { named } from '../../parsers.ts';

/** `<ns/name>`. */
export const libraryAddress: Parse<LibraryAddress> = (value) => {
  const address = parseLibraryAddress(value);
  if (address === null)
    throw new UsageProblem('write <namespace>/<library> in lower case, for example acme/robots');
  if (address.release !== undefined) throw new UsageProblem('leave the release out here');
  return address;
};

export const library = argument('<ns/name>', 'the library', libraryAddress);
export const share = option('<token>', 'share token that opens the library', text);
const id = named(ASSET_ID);

/** An id, or a glob of ids. */
const idOrGlob: Parse<string> = (value) => {
  if (!/[*?[{\\!(]/.test(value)) return id(value);
  const problem = globProblem(value);
  if (problem !== null) throw new UsageProblem(problem);
  return value;
};

export const asset = option('<id>', 'one asset alone', id);
export const assets = repeatedOption(
  '<id>',
  'these assets alone; may be given again, and be a pattern like arm*',
  idOrGlob,
);
export const yes = flag('do not ask', { short: '-y' });
export const visibility = option('<visibility>', 'private or public', oneOf(...VISIBILITIES));
export const target = requiredOption('<dir>', 'the folder', text, { short: '-o' });
export const all = flag('platform artifacts too (vectors, thumbnails), below .bindery/');
export const verify = flag('read every local file again, whatever its size and times say');

/** A selection for the SDK, of what was typed. */
export function selection({ asset, all }: { asset: string[]; all: boolean }) {
  return { all, ...(asset.length > 0 ? { assets: asset } : {}) };
}
