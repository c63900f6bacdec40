import { createHash } from 'node:crypto';
import { globSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';

/** The folder of all packages. */
export const PACKAGES = join(import.meta.dirname, '..', '..');

/** What the build always depends on; it runs the contract's code too, to take the schemas out of the routes. */
const WHOLE = [
  'dashboard/{*.html,*.ts,package.json}',
  'dashboard/{src,vite,scripts}/**/*.*',
  'contract/{package.json,src/**/*.*}',
  '{sdk,render}/package.json',
  '../package-lock.json',
];
const require = createRequire(import.meta.url);
const CODE = /\.[jt]sx?$/;
/** Where a module names another; that types are named too only makes the answer larger. */
const NAMED = /(?:\bfrom|\bimport|\bnew URL)\s*\(?\s*(['"])([^'"\n]+)\1/g;

/** What the dashboard is built of, as paths below `packages`: its own files, and those that they lead to. */
export function dashboardInputs(): string[] {
  const found = new Set(globSync(WHOLE, { cwd: PACKAGES }).map((path) => join(PACKAGES, path)));
  for (const file of found) {
    if (CODE.test(file)) for (const named of filesNamedIn(file)) found.add(named);
  }
  return [...found].map((file) => relative(PACKAGES, file).replaceAll(sep, '/')).sort();
}

/** What the inputs hold, as one hash. */
export function hashOfInputs(): string {
  const hash = createHash('sha256');
  for (const path of dashboardInputs()) hash.update(`${path}\0`).update(readFileSync(join(PACKAGES, path)));
  return hash.digest('hex');
}

/** The files of these packages that a module names. The lock file stands for all others. */
function filesNamedIn(file: string): string[] {
  const names = [...readFileSync(file, 'utf8').matchAll(NAMED)].map(([, , name = '']) =>
    name.replace(/\?.*$/, ''),
  );
  return names.flatMap((name) => {
    const named = placeOf(name, file);
    return named !== null && isFile(named) ? [named] : [];
  });
}

function placeOf(name: string, from: string): string | null {
  if (name.startsWith('.')) return join(dirname(from), name);
  if (!name.startsWith('@bindery/')) return null;
  return realpathSync(require.resolve(name));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
