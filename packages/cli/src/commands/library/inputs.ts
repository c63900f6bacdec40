import { ASSET_ID, RELEASE_NAME, VISIBILITIES } from '@bindery/contract/wire';
import {
  type AssetAddress,
  formatLibraryAddress,
  globProblem,
  type LibraryAddress,
  libraryParams,
  type NumberedAddress,
  parseAssetAddress,
  parseLibraryAddress,
} from '@bindery/sdk';
import {
  argument,
  flag,
  integer,
  oneOf,
  option,
  type Parse,
  repeatedOption,
  text,
  UsageProblem,
} from '../../command.ts';
import { nameParser } from '../../parsers.ts';

const id = nameParser(ASSET_ID);

/** Any library, release, revision or asset, as `pull` takes them. */
export const anyAddress: Parse<AssetAddress> = (value) => {
  const address = parseAssetAddress(value);
  if (address !== null)
    return address.asset === undefined ? address : { ...address, asset: id(address.asset) };
  const [, release] = /@([^/]*)/.exec(value) ?? [];
  if (release !== undefined && !RELEASE_NAME.pattern.test(release)) {
    throw new UsageProblem(`a release name ${RELEASE_NAME.rule}`);
  }
  if (/^[^#]*#/.test(value) && parseLibraryAddress(value.replace(/#.*/, '')) !== null)
    throw new UsageProblem('a revision is a number, as in acme/robots#3, and no part of a release');
  throw new UsageProblem('expected <namespace>/<library> in lower case, such as acme/robots');
};

/** `<ns/name>`. */
export const libraryAddress: Parse<LibraryAddress> = (value) => {
  const address = releaseAddress(value);
  if (address.release !== undefined) throw new UsageProblem('a release cannot be given here');
  return address;
};

/** `<ns/name>` or `<ns/name>@<release>`, for commands that read a whole library. */
export const releaseAddress: Parse<LibraryAddress> = (value) => {
  const { asset, ...address } = assetAddress(value);
  if (asset === undefined) return address;
  throw new UsageProblem(`this is about a whole library: ${formatLibraryAddress(address)}`);
};

/** `<ns/name>` or `<ns/name>@<release>`, or one asset of either, as `search` prints it. */
export const assetAddress: Parse<AssetAddress> = (value) => {
  const address = anyAddress(value);
  if (address.revision === undefined) return address;
  throw new UsageProblem(
    'a revision cannot be given here; "bindery library pull" reads one, and "bindery library release --revision" names one for good',
  );
};

/** `<ns/name>` or, to restore it, one of its revisions. */
export const ownRevision: Parse<NumberedAddress> = (value) => {
  const { asset, ...address } = anyAddress(value);
  if (asset !== undefined) throw new UsageProblem('this is about a whole library');
  if (address.release === undefined) return address;
  throw new UsageProblem('give the number of the revision, which "bindery library releases" shows');
};

/** `<ns/name>`, or one asset of it, for commands that change a library. */
export const ownAsset: Parse<AssetAddress> = (value) => {
  const address = assetAddress(value);
  if (address.release !== undefined) throw new UsageProblem('a release cannot be given here');
  return address;
};

export const library = argument('<ns/name>', 'the library', libraryAddress);
/** The current revision of a library, or one of its releases. */
export const releasedLibrary = argument(
  '<ns/name[@release]>',
  'the library, or a release of it',
  releaseAddress,
);
/** The same, or one asset of it. */
export const releasedAsset = argument(
  '<ns/name[@release][/asset]>',
  'the library, a release of it, or one asset',
  assetAddress,
);
/** The same, or of a revision by its number. */
export const readableAsset = argument(
  '<ns/name[@release|#revision][/asset]>',
  'the library, a release or revision of it, or one asset',
  anyAddress,
);
export const share = option('<token>', 'share token of the library', text);

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
export const target = option('<dir>', 'the folder; by default the name of the library', text, {
  short: '-o',
});
export const all = flag('also platform artifacts (vectors, thumbnails), below .bindery/');
export const verify = flag(
  'read every local and cached file again, even if its size and times are unchanged',
);

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

/** Converts what was typed to a selection for the SDK: the asset of the address, and those of `--asset`. */
export function selection({
  library,
  asset,
  all = false,
}: {
  library: AssetAddress;
  asset: string[];
  all?: boolean;
}) {
  const assets = [...(library.asset === undefined ? [] : [library.asset]), ...asset];
  return { all, ...(assets.length > 0 ? { assets } : {}) };
}

export const proposalNumber = argument(
  '<proposal>',
  'its number, as shown by "bindery proposal list"',
  integer({ min: 1 }),
);

/** The path parameters of the routes of a proposal. */
export const proposalParams = (library: LibraryAddress, proposal: number) => ({
  ...libraryParams(library),
  proposal: String(proposal),
});
