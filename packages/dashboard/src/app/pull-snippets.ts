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

/** The command that compares two versions, as the page of a comparison addresses them. */
export function diffCommand(key: LibraryKey, from: string | undefined, to: string | undefined): string {
  const address = addressOf({ ...key, release: undefined });
  const sides = [`${address}${versionSuffix(from)}`, ...(to === undefined ? [] : [versionSuffix(to)])];
  return `bindery library diff ${sides.join(' ')} --texts${shareOption(key)}${serverOption()}`;
}

/** `@v1` of a release, `#7` of a revision. */
function versionSuffix(version: string | undefined): string {
  if (version === undefined) return '';
  return version.startsWith('@') ? version : `#${version}`;
}

/** The commands that publish a folder as a library, from the first on. */
export function pushCommands(namespace: string, library: string): string {
  return [
    `bindery login${serverOption()}`,
    'bindery library check ./robots',
    `bindery library push ./robots ${namespace}/${library}`,
  ].join('\n');
}

/** The command that adds an asset to a project. */
export function projectCommand(key: LibraryKey, assetId: string): string {
  return `${serverVariable()}bindery use ${addressOf(key)}/${assetId}`;
}

/** Python code that returns the path of an asset's entry in the machine's cache. */
export function pathPython(key: LibraryKey, assetId: string): string {
  return pythonCall('path', [`"${addressOf(key)}/${assetId}"`], 'scene = ', '');
}

/** Python code that pulls an asset, and returns its entry, or the folder of one that has none. */
export function pullPython(
  { namespace, library }: LibraryKey,
  asset: { id: string; entry: string | null },
): string {
  return pythonCall(
    'pull',
    [`"${namespace}/${library}"`, `asset="${asset.id}"`, `into="${asset.id}"`],
    asset.entry === null ? 'folder = ' : 'scene = ',
    asset.entry === null ? '.folder' : '.entry',
  );
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
