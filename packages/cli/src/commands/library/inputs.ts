import { ASSET_ID, RELEASE_NAME, VISIBILITIES } from '@bindery/contract/wire';
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
import { nameParser } from '../../parsers.ts';

/** `<ns/name>`. */
export const libraryAddress: Parse<LibraryAddress> = (value) => {
  const address = releaseAddress(value);
  if (address.release !== undefined) throw new UsageProblem('a release cannot be given here');
  return address;
};

/** `<ns/name>` or `<ns/name>@<release>`, for commands that read. */
export const releaseAddress: Parse<LibraryAddress> = (value) => {
  const address = parseLibraryAddress(value);
  if (address !== null) return address;
  const [, release] = value.split('@');
  if (release !== undefined && !RELEASE_NAME.pattern.test(release)) throw new UsageProblem(RELEASE_NAME.rule);
  throw new UsageProblem('expected <namespace>/<library> in lower case, such as acme/robots');
};

export const library = argument('<ns/name>', 'the library', libraryAddress);
/** The current revision of a library, or one of its releases. */
export const releasedLibrary = argument(
  '<ns/name[@release]>',
  'the library, or a release of it',
  releaseAddress,
);
export const share = option('<token>', 'share token of the library', text);
const id = nameParser(ASSET_ID);

/** An id, or a glob of ids. */
const idOrGlob: Parse<string> = (value) => {
  if (!/[*?[{\\!(]/.test(value)) return id(value);
  const problem = globProblem(value);
  if (problem !== null) throw new UsageProblem(problem);
  return value;
};

export const asset = option('<id>', 'only this asset', id);
export const assets = repeatedOption(
  '<id>',
  'only these assets; can be repeated, and be a pattern such as arm*',
  idOrGlob,
);
export const yes = flag('skip the confirmation prompt', { short: '-y' });
export const visibility = option('<visibility>', 'private or public', oneOf(...VISIBILITIES));
export const target = requiredOption('<dir>', 'the folder', text, { short: '-o' });
export const all = flag('also platform artifacts (vectors, thumbnails), below .bindery/');
export const verify = flag('read every local file again, even if its size and times are unchanged');

const glob: Parse<string> = (value) => {
  const problem = globProblem(value);
  if (problem !== null) throw new UsageProblem(problem);
  return value;
};

export const include = repeatedOption(
  '<glob>',
  'publish these files or folders even if a .gitignore or .binderyignore names them; can be repeated',
  glob,
);
export const exclude = repeatedOption('<glob>', 'leave out these files or folders; can be repeated', glob);

/** Converts what was typed to a selection for the SDK. */
export function selection({ asset, all }: { asset: string[]; all: boolean }) {
  return { all, ...(asset.length > 0 ? { assets: asset } : {}) };
}
