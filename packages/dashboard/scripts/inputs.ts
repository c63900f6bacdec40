import { createHash } from 'node:crypto';
import { globSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';

/** The `packages` folder. */
export const PACKAGES = join(import.meta.dirname, '..', '..');

/** The fixed inputs of the build. */
const WHOLE = [
  'dashboard/{*.html,*.ts,package.json}',
  'dashboard/{src,vite,scripts}/**/*.*',
  '{contract,sdk,render}/package.json',
  '../package-lock.json',
];
const require = createRequire(import.meta.url);
const CODE = /\.[jt]sx?$/;
/** Where a module refers to another. Type-only imports match as well, which only adds inputs. */
const NAMED = /(?:\bfrom|\bimport|\bnew URL)\s*\(?\s*(['"])([^'"\n]+)\1/g;

/** Returns the files that the dashboard is built from, as paths below `packages`: its own, and all that they import. */
export function dashboardInputs(): string[] {
  const found = new Set(globSync(WHOLE, { cwd: PACKAGES }).map((path) => join(PACKAGES, path)));
  for (const file of found) {
    if (CODE.test(file)) for (const named of filesNamedIn(file)) found.add(named);
  }
  return [...found].map((file) => relative(PACKAGES, file).replaceAll(sep, '/')).sort();
}

/** Returns one hash of all inputs. */
export function hashOfInputs(): string {
  const hash = createHash('sha256');
  for (const path of dashboardInputs()) hash.update(`${path}\0`).update(readFileSync(join(PACKAGES, path)));
  return hash.digest('hex');
}

/** Returns the files of these packages to which a module refers. The lock file covers all others. */
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
