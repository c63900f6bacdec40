import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Where `test/command.ts` writes its bundles. Inside the clone, so that external packages are found from there. */
export const BUILT = join(ROOT, 'node_modules/.cache/command');

/** How a module refers to a file next to it that runs in a separate thread or process. */
const STARTED = /new URL\('(\.\/[^']*\.ts)', import\.meta\.url\)/g;

/**
 * Returns the files that modules of the packages and their tests start, by name in `BUILT`. None of them may use
 * top-level await: files that it loads later may depend on its own chunk, which would deadlock.
 */
export function startedModules(): Record<string, string> {
  const modules = globSync('packages/*/{src,test}/**/*.ts', { cwd: ROOT })
    .map((module) => join(ROOT, module))
    .flatMap((module) => startedBy(readFileSync(module, 'utf8'), module));
  return Object.fromEntries([...new Set(modules)].sort().map((file) => [nameOf(file), file]));
}

/** Returns the code of a module, changed to start the bundled files instead of those next to it. */
export function startingBuilt(code: string, file: string): string {
  return code.replaceAll(STARTED, (_, named: string) => {
    const built = join(BUILT, `${nameOf(join(dirname(file), named))}.js`);
    return `new URL(${JSON.stringify(pathToFileURL(built).href)})`;
  });
}

function startedBy(code: string, file: string): string[] {
  return [...code.matchAll(STARTED)].map(([, named = '']) => join(dirname(file), named));
}

function nameOf(file: string): string {
  return relative(ROOT, file).replaceAll('\\', '/').replace(/\.ts$/, '');
}
