import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The command line in the clone. */
export const BINDERY = fileURLToPath(new URL('../packages/cli/bin/bindery.js', import.meta.url));

const BUILD = fileURLToPath(new URL('../scripts/packages/build.ts', import.meta.url));
const PUBLISHED = fileURLToPath(new URL('../build/packages/cli/bin/bindery.js', import.meta.url));

let isBuilt = false;

/** The command line as its package has it, which starts sooner than the one in the clone. Builds it on first use. */
export function publishedCommand(): string {
  if (!isBuilt) execFileSync(process.execPath, [BUILD], { stdio: ['ignore', 'ignore', 'inherit'] });
  isBuilt = true;
  return PUBLISHED;
}
