import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const run = promisify(execFile);

interface Lock {
  packages: Record<string, LockedPackage>;
}

interface LockedPackage {
  version?: string;
  dev?: boolean;
  link?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

type Entry = [path: string, locked: LockedPackage];

/** The path of a package in the root's `node_modules`, or of one that is installed inside it. */
const AT_ROOT = /^node_modules\/((?:@[^/]+\/)?[^/]+)/;
/** In place of the name of a package that only a workspace has. */
const ELSEWHERE = '';

/**
 * Installs the production dependencies of an extracted clone: what this clone has in the same version is linked, because
 * installing everything takes most of a minute.
 */
export async function installPackages(folder: string): Promise<void> {
  const [theirs, ours] = await Promise.all([readLock(folder), readLock(ROOT)]);
  const wanted = Object.entries(theirs.packages).filter(
    ([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link,
  );
  const lacking = wanted.filter(([path, { version }]) => ours.packages[path]?.version !== version);
  const names = withDependents(lacking.map(nameAtRoot), wanted);
  if (names.has(ELSEWHERE)) return installAll(folder);
  if (names.size > 0) await installOnly(names, wanted, folder);
  await linkOthers(names, wanted, folder);
}

async function installAll(folder: string): Promise<void> {
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
}

async function readLock(folder: string): Promise<Lock> {
  return JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
}

function nameAtRoot([path]: Entry): string {
  return AT_ROOT.exec(path)?.[1] ?? ELSEWHERE;
}

/** Adds the packages that need one of these: linked to this clone they would find another version, or none. */
function withDependents(lacking: readonly string[], wanted: readonly Entry[]): Set<string> {
  const names = new Set(lacking);
  for (let before = 0; before < names.size; ) {
    before = names.size;
    for (const entry of wanted) {
      const { dependencies, optionalDependencies, peerDependencies } = entry[1];
      const needed = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
      if (needed.some((name) => names.has(name))) names.add(nameAtRoot(entry));
    }
  }
  return names;
}

/** Installs some packages of a lock file in their locked versions, without what they need in turn. */
async function installOnly(
  names: ReadonlySet<string>,
  wanted: readonly Entry[],
  folder: string,
): Promise<void> {
  const alone = wanted
    .filter((entry) => names.has(nameAtRoot(entry)))
    .map(([path, { dependencies, optionalDependencies, peerDependencies, ...locked }]) => [path, locked]);
  const packages = Object.fromEntries(alone);
  const dependencies = Object.fromEntries(
    [...names].map((name) => [name, packages[`node_modules/${name}`]?.version]),
  );
  const installed = join(folder, 'installed');
  await mkdir(installed);
  await writeFile(join(installed, 'package.json'), JSON.stringify({ dependencies }));
  const lock = { lockfileVersion: 3, packages: { '': { dependencies }, ...packages } };
  await writeFile(join(installed, 'package-lock.json'), JSON.stringify(lock));
  await installAll(installed);
  await rename(join(installed, 'node_modules'), join(folder, 'node_modules'));
}

/** Links the other packages to those of this clone, and its own to the folder. */
async function linkOthers(
  installed: ReadonlySet<string>,
  wanted: readonly Entry[],
  folder: string,
): Promise<void> {
  const names = new Set(wanted.map(nameAtRoot));
  for (const name of names) {
    const here = join(ROOT, 'node_modules', name);
    if (name !== ELSEWHERE && !installed.has(name) && existsSync(here))
      await link(here, join(folder, 'node_modules', name));
  }
  for (const name of await readdir(join(folder, 'packages'))) {
    await link(join(folder, 'packages', name), join(folder, 'node_modules/@bindery', name));
    const nested = join(ROOT, 'packages', name, 'node_modules');
    if (existsSync(nested)) await link(nested, join(folder, 'packages', name, 'node_modules'));
  }
}

async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path);
}
