import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Where `test/command.ts` puts what tests start. Inside the clone: what stays outside of it is found from here too. */
export const BUILT = join(ROOT, 'node_modules/.cache/command');

/** How a module names one beside it that a thread or process of its own runs. */
const STARTED = /new URL\('(\.\/[^']*\.ts)', import\.meta\.url\)/g;

/**
 * What is started by modules of the packages and of their tests: each file, by its name in `BUILT`. None may wait at its top
 * level: what it loads later may lie in files that need its own, and would wait for it in turn.
 */
export function startedModules(): Record<string, string> {
  const modules = globSync('packages/*/{src,test}/**/*.ts', { cwd: ROOT })
    .map((module) => join(ROOT, module))
    .flatMap((module) => startedBy(readFileSync(module, 'utf8'), module));
  return Object.fromEntries([...new Set(modules)].sort().map((file) => [nameOf(file), file]));
}

/** The code of a module, which starts the built ones in place of those beside it. */
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
