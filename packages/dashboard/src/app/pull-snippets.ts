import { formatLibraryAddress } from '@bindery/sdk/browser';
import type { LibraryKey } from './queries.ts';

/** The server that the command line and the Python package use by default. */
const DEFAULT_SERVER = 'http://127.0.0.1:7420';

/** The command that pulls an asset into a folder named after it. */
export function pullCommand(key: LibraryKey, assetId: string): string {
  return `${serverVariable()}bindery library pull ${addressOf(key)} \\\n  --asset ${assetId} -o ${assetId}${shareOption(key)}`;
}

export function pullLibraryCommand(key: LibraryKey): string {
  return `${serverVariable()}bindery library pull ${addressOf(key)} -o ${key.library}${shareOption(key)}`;
}

/** The command that stores the login that a private library needs. */
export function loginCommand(): string {
  return location.origin === DEFAULT_SERVER ? 'bindery login' : `bindery login --api-url ${location.origin}`;
}

/** How the command line and the Python package are installed: they come with a clone of Bindery. */
export const INSTALL_COMMAND =
  'npm ci && npm run packages\ndeploy/install.sh build/packages ~/.bindery\nexport PATH=~/.bindery/bin:$PATH';
export const INSTALL_PYTHON = 'pip install ./python';

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
