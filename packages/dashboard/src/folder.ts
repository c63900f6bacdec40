import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const BUILT = join(PACKAGE, 'dist', 'browser');

/**
 * Returns the folder of the built dashboard: `index.html`, `viewer.html`, `assets/` and compressed copies next to them.
 * In a clone it is built first if anything has changed, which takes some seconds. Null if there is neither a build nor
 * the sources to build it from.
 */
export async function dashboardFolder(onBuild?: () => void): Promise<string | null> {
  const build = join(PACKAGE, 'scripts', 'build.ts');
  if (existsSync(build)) {
    const { buildDashboard } = await import(pathToFileURL(build).href);
    await buildDashboard(onBuild);
  }
  return existsSync(join(BUILT, 'index.html')) ? BUILT : null;
}
