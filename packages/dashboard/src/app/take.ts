import type { LibraryKey } from './queries.ts';

/** Where the command line and Python look for a service that they were told nothing of. */
const USUAL_SERVER = 'http://127.0.0.1:7420';

/** The command that brings an asset into a folder of its name. */
export function pullCommand({ namespace, library, share }: LibraryKey, assetId: string): string {
  const opened = share === undefined ? '' : ` --share ${share}`;
  return `${serverVariable()}bindery library pull ${namespace}/${library} \\\n  --asset ${assetId} -o ${assetId}${opened}`;
}

export function pullLibraryCommand({ namespace, library, share }: LibraryKey): string {
  const opened = share === undefined ? '' : ` --share ${share}`;
  return `${serverVariable()}bindery library pull ${namespace}/${library} -o ${library}${opened}`;
}

export function pullPython({ namespace, library }: LibraryKey, assetId: string): string {
  return pythonCall(
    [`"${namespace}/${library}"`, `asset="${assetId}"`, `into="${assetId}"`],
    'scene = ',
    '.entry',
  );
}

export function pullLibraryPython({ namespace, library }: LibraryKey): string {
  return pythonCall([`"${namespace}/${library}"`, `into="${library}"`], '', '');
}

function serverVariable(): string {
  return location.origin === USUAL_SERVER ? '' : `export BINDERY_API_URL=${location.origin}\n`;
}

function pythonCall(named: readonly string[], before: string, after: string): string {
  const server = location.origin === USUAL_SERVER ? [] : [`server="${location.origin}"`];
  const lines = [...named, ...server].map((argument) => `    ${argument},\n`);
  return `import bindery\n${before}bindery.pull(\n${lines.join('')})${after}`;
}
