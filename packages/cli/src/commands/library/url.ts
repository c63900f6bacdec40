import { dirname } from 'node:path/posix';
import { CERTIFIED_KINDS, fuelModelPath, mujocoLiveUrl, routes } from '@bindery/contract/wire';
import {
  ApiError,
  type AssetAddress,
  type Client,
  formatLibraryAddress,
  libraryParams,
  parseAssetAddress,
  readQuery,
} from '@bindery/sdk';
import { argument, defineCommand, flag, type Parse, UsageProblem } from '../../command.ts';
import type { Context } from '../../context.ts';
import { CommandError } from '../../output/command-error.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { sanitizeLine } from '../../output/text.ts';
import { share } from './inputs.ts';
import { localOptions } from './local-options.ts';
import { rawUrl } from './report.ts';

/** `<ns/name[@release]>` with the id of an asset or the path of a file behind it, or neither. */
const address: Parse<AssetAddress> = (value) => {
  const parsed = parseAssetAddress(value);
  if (parsed === null) throw new UsageProblem('expected <namespace>/<library>, an asset or a file of it');
  if (parsed.revision !== undefined) throw new UsageProblem('only releases have permanent addresses');
  return parsed;
};

/** The addresses of something; `archive`, `mjz`, `live` and `fuel` are those of an asset. */
interface Addresses {
  url: string;
  archive?: string;
  mjz?: string;
  /** Where it plays in a browser; only of what anyone can read. */
  live?: string;
  fuel?: string;
  /** Variables with which other tools read the library, by name. */
  variables?: Record<string, string>;
}

export const url = defineCommand({
  name: 'url',
  summary: 'Print the permanent address of an asset or a file',
  description:
    'Anything that reads URLs reads from it: curl, rclone, browsers, simulators. A token is sent as bearer or as the ' +
    'password of HTTP Basic. The address of a release never changes what it answers. For an asset, it is that of the file that opens it.',
  inputs: {
    address: argument(
      '<ns/name[@release][/asset or path]>',
      'the library, an asset or a file of it',
      address,
    ),
    share,
    env: flag(
      'of a library: also print the variables with which other tools read it in place of their own source',
    ),
  },
  examples: [
    ['bindery url acme/robots@v1.2/arm', 'the file that opens the asset, and its archives'],
    ['bindery url acme/robots/arm/meshes/link0.stl', 'one file, always the current one'],
    ['bindery url acme/robots@v1.2', 'the index of a release'],
    [
      'eval "$(bindery url acme/robots --env --quiet)"',
      'Hugging Face, MuJoCo Menagerie and Isaac Sim read from here',
    ],
  ],
  async run({ address: { asset, ...library }, share, env }, context): Promise<Addresses> {
    const client = await context.client();
    const shared = { ...library, share };
    if (env && asset !== undefined)
      throw new UsageProblem('--env is for a library; leave out the asset or file');
    if (asset === undefined) {
      await client.call(routes.libraries.getLibrary, {
        params: libraryParams(shared),
        query: readQuery(shared),
      });
      return {
        url: rawUrl(client, shared),
        ...(env && { variables: await variablesOf(client, shared, context) }),
      };
    }
    return (
      (await addressesOfAsset(client, { ...shared, asset })) ?? addressOfFile(client, { ...shared, asset })
    );
  },
  render({ url, archive, mjz, live, fuel, variables }, output) {
    if (variables === undefined) output.line(url);
    for (const [name, value] of Object.entries(variables ?? {}))
      output.line(`export ${name}=${quoted(value)}`);
    if (archive !== undefined) output.note(`Its files as an archive: ${archive}`);
    if (mjz !== undefined) output.note(`For MuJoCo: ${mjz}`);
    if (live !== undefined) output.note(`In a browser: ${live}`);
    if (fuel !== undefined) output.note(`For Gazebo: ${fuel}`);
  },
});

/** A value as one word of a shell, whatever is in it: paths are those of whoever published the library. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}

/** Returns the variables of the tools that can read what is in a library: all of Hugging Face's, others by its files. */
async function variablesOf(
  client: Client,
  library: AssetAddress,
  context: Context,
): Promise<Record<string, string>> {
  const { readHead, readRemoteLibrary } = await import('@bindery/sdk/reading');
  const head = await readHead(client, library, context.signal);
  const { manifest } = await readRemoteLibrary(client, library, head, await localOptions(context));
  const paths = manifest.assets.flatMap(({ files }) => files.map(({ path }) => path));
  const archive = paths.find((path) => /-[0-9a-f]{16}\.tar\.xz$/.test(path));
  const isRoot = paths.some((path) => /^(Isaac|NVIDIA)\//.test(path));
  const root = rawUrl(client, { ...library, share: undefined }).replace(/\/$/, '');
  const folder = archive && dirname(archive).split('/').map(encodeURIComponent).join('/');
  return {
    HF_ENDPOINT: `${client.baseUrl}/hf`,
    ...(folder !== undefined && { MENAGERIE_BASE_URL: folder === '.' ? root : `${root}/${folder}` }),
    ...(isRoot && { ISAACSIM_ASSET_ROOT: root }),
    ...gitVariables(client, library, manifest.library?.upstream),
  };
}

/** Returns what leads git, and what runs it, from the repository of which the library is a copy to the library. */
function gitVariables(
  client: Client,
  { namespace, name, release }: AssetAddress,
  { repo, commit }: { repo?: string | undefined; commit?: string | undefined } = {},
): Record<string, string> {
  if (repo === undefined || commit === undefined) return {};
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.${client.baseUrl}/git/${namespace}/${name}.insteadOf`,
    // Some write it with the ending and some without; ours can have it, too.
    GIT_CONFIG_VALUE_0: repo.replace(/\.git$/, ''),
    ROBOT_DESCRIPTION_COMMIT: release ?? 'main',
  };
}

type Named = AssetAddress & { asset: string };

/** Returns null if the library has no asset of this id. */
async function addressesOfAsset(client: Client, { asset, ...library }: Named): Promise<Addresses | null> {
  if (asset.includes('/')) return null;
  try {
    const { entry, kind, id, files } = await client.call(routes.libraries.getAsset, {
      params: { ...libraryParams(library), assetId: asset },
      query: readQuery(library),
    });
    const mjz = CERTIFIED_KINDS.has(kind) ? rawUrl(client, library, `${id}.mjz`) : null;
    const { visibility } = await client.call(routes.libraries.getLibrary, {
      params: libraryParams(library),
      query: readQuery(library),
    });
    return {
      url: rawUrl(client, library, entry ?? files[0]?.path),
      archive: rawUrl(client, library, `${id}.zip`),
      ...(mjz !== null && {
        mjz,
        ...(visibility === 'public' && {
          live: mujocoLiveUrl(rawUrl(client, { ...library, share: undefined }, `${id}.mjz`)),
        }),
      }),
      fuel: client.baseUrl + fuelModelPath(library, id),
    };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'asset_not_found') return null;
    throw error;
  }
}

/** Throws if the library has no such file. */
async function addressOfFile(client: Client, { asset: path, ...library }: Named): Promise<Addresses> {
  await client
    .call(routes.libraries.presignFiles, {
      params: libraryParams(library),
      query: readQuery(library),
      body: { paths: [path] },
    })
    .catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 'unknown_path') throw error;
      const name = formatLibraryAddress(library);
      throw new CommandError(
        EXIT.notFound,
        'not_found',
        `${name} has no asset and no file ${sanitizeLine(path)}.`,
        {
          next: `"bindery ls ${name}" lists its files, "bindery library search ${name}" its assets.`,
          cause: error,
        },
      );
    });
  return { url: rawUrl(client, library, path) };
}
