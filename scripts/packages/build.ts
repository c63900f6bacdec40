import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildDashboard } from '../../packages/dashboard/scripts/build.ts';
import { bundleCommand } from './bundle-command.ts';
import { lockedEntry, lockedTree } from './locked-tree.ts';
import { type Manifest, type PublishedManifest, publishedManifest } from './manifest.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The packages that people install as programs. */
const INSTALLED = ['cli', 'server'];

/** A package ready to publish: a folder for `npm pack` and `npm publish`. */
export interface BuiltPackage {
  name: string;
  folder: string;
}

/**
 * Builds every package of `packages/` into a folder of `target`: TypeScript becomes JavaScript with types, in `dist`.
 * Types are not checked; `npm run typecheck` does that. The command line is bundled. Throws if built code still refers to a
 * TypeScript file.
 */
export async function buildPackages(target: string): Promise<BuiltPackage[]> {
  await buildDashboard();
  rmSync(target, { recursive: true, force: true });
  const compiled = join(target, 'compiled');
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', join(ROOT, 'tsconfig.packages.json'), '--outDir', compiled]);
  const built = globSync('*/package.json', { cwd: join(ROOT, 'packages') })
    .sort()
    .map((path) => buildPackage(dirname(path), compiled, target));
  rmSync(compiled, { recursive: true });
  await bundleCommand(target);
  for (const directory of INSTALLED) writeShrinkwrap(directory, target);
  packClient(target);
  return built;
}

/**
 * Ships the versions that the tests ran with, down to the last dependency. npm heeds them where it installs a package
 * from a registry, which says that it has them.
 */
function writeShrinkwrap(directory: string, target: string): void {
  const manifest = readManifest(directory, target);
  const { name, version, dependencies = {} } = manifest;
  const siblings = siblingsOf(manifest, target);
  const tree = lockedTree([
    { workspace: `packages/${directory}`, place: '', manifest },
    ...siblings.map((sibling) => ({ ...sibling, place: `node_modules/${sibling.manifest.name}` })),
  ]);
  const own = siblings.map(({ manifest: { name: sibling, ...entry } }) => [
    `node_modules/${sibling}`,
    lockedEntry(entry),
  ]);
  const packages = { '': { name, version, dependencies }, ...Object.fromEntries(own), ...tree };
  const shrinkwrap = { name, version, lockfileVersion: 3, requires: true, packages };
  const folder = join(target, directory);
  writeFileSync(join(folder, 'npm-shrinkwrap.json'), `${JSON.stringify(shrinkwrap, null, 2)}\n`);
  const files = [...(manifest.files as string[]), 'npm-shrinkwrap.json'];
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...manifest, files }, null, 2)}\n`);
}

/** Returns the packages of Bindery that a built one depends on, directly or not. */
function siblingsOf(
  manifest: PublishedManifest,
  target: string,
  found = new Map<string, { workspace: string; manifest: PublishedManifest }>(),
): { workspace: string; manifest: PublishedManifest }[] {
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    const [, directory] = /^@bindery\/(.+)$/.exec(name) ?? [];
    if (directory === undefined || found.has(name)) continue;
    const sibling = readManifest(directory, target);
    found.set(name, { workspace: `packages/${directory}`, manifest: sibling });
    siblingsOf(sibling, target, found);
  }
  return [...found.values()];
}

/** Packs the command line into the service, which serves it at `/install`. */
function packClient(target: string): void {
  const into = join(target, 'server', 'dist', 'client');
  mkdirSync(into);
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', into, join(target, 'cli')];
  execFileSync('npm', pack, { stdio: 'ignore', shell: process.platform === 'win32' });
}

function readManifest(directory: string, target: string): PublishedManifest {
  return JSON.parse(readFileSync(join(target, directory, 'package.json'), 'utf8')) as PublishedManifest;
}

function buildPackage(directory: string, compiled: string, target: string): BuiltPackage {
  const source = join(ROOT, 'packages', directory);
  const folder = join(target, directory);
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest;
  mkdirSync(folder);
  cpSync(join(compiled, directory, 'src'), join(folder, 'dist'), { recursive: true });
  for (const path of globSync('**/*.js', { cwd: join(folder, 'dist') }))
    withoutTypeScript(join(folder, 'dist', path));
  const bundled = join(source, 'dist', 'browser');
  if (existsSync(bundled)) cpSync(bundled, join(folder, 'dist', 'browser'), { recursive: true });
  else copyOtherFiles(join(source, 'src'), join(folder, 'dist'));
  if (existsSync(join(source, 'bin'))) copyLaunchers(join(source, 'bin'), join(folder, 'bin'));
  for (const name of ['README.md', 'LICENSE', 'NOTICE']) {
    const own = join(source, name);
    copyFileSync(existsSync(own) ? own : join(ROOT, name), join(folder, name));
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`);
  return { name: manifest.name, folder };
}

/** The compiler rewrites imports, but not `new URL('./….ts', import.meta.url)`, which starts threads and processes. */
function withoutTypeScript(file: string): void {
  const text = readFileSync(file, 'utf8');
  const rewritten = text.replace(/(new URL\('\.[^']*)\.ts(', import\.meta\.url\))/g, '$1.js$2');
  const left = /['"`]\.{1,2}\/[^'"`\n]*\.ts['"`]/.exec(rewritten);
  if (left) throw new Error(`${file} still names ${left[0]}`);
  if (rewritten !== text) writeFileSync(file, rewritten);
}

/** Copies style sheets, images and schemas that are next to the code. */
function copyOtherFiles(source: string, target: string): void {
  for (const entry of globSync('**/*', { cwd: source, withFileTypes: true })) {
    if (!entry.isFile() || /\.[jt]s$/.test(entry.name)) continue;
    const path = relative(source, join(entry.parentPath, entry.name));
    mkdirSync(dirname(join(target, path)), { recursive: true });
    copyFileSync(join(source, path), join(target, path));
  }
}

function copyLaunchers(source: string, target: string): void {
  cpSync(source, target, { recursive: true });
  for (const path of globSync('*.js', { cwd: target })) {
    const text = readFileSync(join(target, path), 'utf8');
    writeFileSync(join(target, path), text.replaceAll("'../src/", "'../dist/"));
  }
}

if (import.meta.main) {
  const target = join(ROOT, 'build', 'packages');
  for (const { name, folder } of await buildPackages(target)) {
    process.stdout.write(`${name}  ${relative(process.cwd(), folder)}\n`);
  }
}
