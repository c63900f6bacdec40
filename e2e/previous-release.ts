import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installPackages } from './install-packages.ts';

/** The commit of the previous release; updated with each release (CONTRIBUTING.md). */
const COMMIT = '655b384c0303ecd691da4841cd812221eccb0ae9';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Everything needed to run. Without its build scripts, a service has no dashboard. */
const PATHS = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'packages',
  'e2e/package.json',
  'bench/package.json',
];
const LEFT_OUT = [':(exclude)packages/*/test', ':(exclude)packages/dashboard/scripts'];

const run = promisify(execFile);
/** Also works in a clone owned by another user, as in containers. */
const git = (...words: string[]) =>
  run('git', ['-c', `safe.directory=${resolve(ROOT)}`, ...words], { cwd: ROOT });

/**
 * Extracts the previous release from the history into an empty folder; returns the path of its `bindery.js`. Undefined
 * if the history is missing: in a copy of the files, or in a shallow clone whose origin cannot be reached.
 */
export async function extractPreviousRelease(folder: string): Promise<string | undefined> {
  if (!(await isInHistory())) return undefined;
  const archive = join(folder, 'release.tar');
  await git('archive', '--output', archive, COMMIT, '--', ...PATHS, ...LEFT_OUT);
  await run('tar', ['-xf', archive, '-C', folder]);
  await installPackages(folder);
  return join(folder, 'packages/cli/bin/bindery.js');
}

/** A shallow clone lacks the commit, but may be able to fetch it from its origin. */
async function isInHistory(): Promise<boolean> {
  if (await has(COMMIT)) return true;
  await git('fetch', '--quiet', '--depth=1', 'origin', COMMIT).catch(() => {});
  return has(COMMIT);
}

function has(commit: string): Promise<boolean> {
  return git('cat-file', '-e', `${commit}^{commit}`).then(
    () => true,
    () => false,
  );
}
