import { mujocoLiveUrl, rawPath } from '@bindery/contract/wire';
import { formatLibraryAddress } from '@bindery/sdk/browser';
import type { LibraryKey } from './queries.ts';

/** The server that the command line and the Python package use by default. */
const DEFAULT_SERVER = 'http://127.0.0.1:7420';

/** The command that pulls an asset into a folder named after it. */
export function pullCommand(key: LibraryKey, assetId: string): string {
  return `${serverVariable()}bindery library pull ${addressOf(key)} \\\n  --asset ${assetId} -o ${assetId}${shareOption(key)}`;
}

/** One line that pulls a library into a folder of its name. */
export function pullLibraryCommand(key: LibraryKey): string {
  return `bindery library pull ${addressOf(key)} -o ${key.library}${shareOption(key)}${serverOption()}`;
}

/** One line that pulls an earlier revision into a folder of its own. */
export function pullRevisionCommand(key: LibraryKey, revision: number): string {
  const address = addressOf({ ...key, release: undefined });
  return `bindery library pull ${address}#${revision} -o ${key.library}-${revision}${serverOption()}`;
}

/** The command that compares two versions, as the page of a comparison addresses them. */
export function diffCommand(key: LibraryKey, from: string | undefined, to: string | undefined): string {
  const address = addressOf({ ...key, release: undefined });
  // A shell takes a word that begins with # for a comment, so both sides are written in full.
  const sides = [from, ...(to === undefined ? [] : [to])].map((side) => address + versionSuffix(side));
  return `bindery library diff ${sides.join(' ')} --texts${shareOption(key)}${serverOption()}`;
}

/** `@v1` of a release, `#7` of a revision. */
function versionSuffix(version: string | undefined): string {
  if (version === undefined) return '';
  return version.startsWith('@') ? version : `#${version}`;
}

/** The command that proposes what a folder has. */
export function proposeCommand(key: LibraryKey): string {
  const address = addressOf({ ...key, release: undefined });
  return `bindery library push ${key.library} ${address} --propose "Why"${serverOption()}`;
}

/** The commands that publish a folder as a library, from the first on. */
export function pushCommands(namespace: string, library: string): string {
  return [
    `bindery login${serverOption()}`,
    'bindery library check ./robots',
    `bindery library push ./robots ${namespace}/${library}`,
  ].join('\n');
}

/** The command that stores the login that a private library needs. */
export function loginCommand(): string {
  return location.origin === DEFAULT_SERVER ? 'bindery login' : `bindery login --api-url ${location.origin}`;
}

/** How the command line and the Python package are installed: they come with a clone of Bindery. */
export const INSTALL_COMMAND =
  'npm ci && npm run packages\ndeploy/install.sh build/packages ~/.bindery\nexport PATH=~/.bindery/bin:$PATH';
export const INSTALL_PYTHON = 'pip install ./python';

/** The permanent address at which any program reads an asset as one archive. */
export function addressOfAsset(
  { namespace, library: name, release, share }: LibraryKey,
  assetId: string,
): string {
  const query = share === undefined ? '' : `?share=${encodeURIComponent(share)}`;
  return `${location.origin}${rawPath({ namespace, name, release }, `${assetId}.zip`)}${query}`;
}

/** The commands that add an asset to a project and place it there. */
export function projectCommand(key: LibraryKey, assetId: string): string {
  return `${serverVariable()}bindery use ${addressOf(key)}/${assetId}\nbindery sync`;
}

/** Python code that pulls an asset and returns the file that opens it; its folder if it has none. */
export function pullPython(key: LibraryKey, assetId: string, file: string | null, isEntry: boolean): string {
  const within = isEntry ? '.entry' : file === null ? '.folder' : `.folder / ${JSON.stringify(file)}`;
  const pulled = [`"${addressOf(key)}/${assetId}"`, `into="${assetId}"`];
  return pythonCall('pull', pulled, file === null ? 'folder = ' : 'scene = ', within);
}

export function pullLibraryPython({ namespace, library }: LibraryKey): string {
  return pythonCall('pull', [`"${namespace}/${library}"`, `into="${library}"`], '', '');
}

function serverVariable(): string {
  return location.origin === DEFAULT_SERVER ? '' : `export BINDERY_API_URL=${location.origin}\n`;
}

function serverOption(): string {
  return location.origin === DEFAULT_SERVER ? '' : ` --api-url ${location.origin}`;
}

function addressOf({ namespace, library, release }: LibraryKey): string {
  return formatLibraryAddress({ namespace, name: library, release });
}

function shareOption({ share }: LibraryKey): string {
  return share === undefined ? '' : ` --share ${share}`;
}

function pythonCall(name: string, named: readonly string[], before: string, after: string): string {
  const server = location.origin === DEFAULT_SERVER ? [] : [`server="${location.origin}"`];
  const lines = [...named, ...server].map((argument) => `    ${argument},\n`);
  return `import bindery\n${before}bindery.${name}(\n${lines.join('')})${after}`;
}

/** Where an asset of a public library plays in a browser. */
export function liveUrlOf({ namespace, library: name, release }: LibraryKey, assetId: string): string {
  return mujocoLiveUrl(location.origin + rawPath({ namespace, name, release }, `${assetId}.mjz`));
}
