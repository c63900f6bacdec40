import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { licensesOf } from './bundled-licenses.ts';
import type { PublishedManifest } from './manifest.ts';

const PACKAGES = fileURLToPath(new URL('../../packages', import.meta.url));

/** The packages of Bindery that become part of the bundle. The others are optional, and loaded where they are installed. */
const INCLUDED = ['concurrency', 'contract', 'formats', 'mcp', 'sdk'];

/** Packages with threads or binaries of their own, or without the text of their licence; they stay dependencies. */
const OUTSIDE = ['piscina', 'saxes', 'spdx-expression-parse'];

/**
 * Replaces the modules of a built command line by a bundle of all that it needs: finding and loading several hundred
 * modules takes longer than most commands. The packages are folders of `target`.
 */
export async function bundleCommand(target: string): Promise<void> {
  const folder = join(target, 'cli');
  const dist = join(folder, 'dist');
  await using bundle = await rolldown({
    cwd: target,
    input: {
      start: join(dist, 'start.js'),
      'own-node': join(dist, 'own-node.js'),
      ...startedModules(target),
    },
    platform: 'node',
    external: isOutside,
    plugins: [builtPackages(target), await discoveryHash(target)],
  });
  // In one folder, so that modules find the threads next to them, and the package's manifest above.
  const { output } = await bundle.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  const chunks = output.filter((file) => file.type === 'chunk');
  rmSync(dist, { recursive: true });
  mkdirSync(dist);
  for (const { fileName, code } of chunks) writeFileSync(join(dist, fileName), code);
  writeFileSync(
    join(folder, 'THIRD-PARTY-LICENSES'),
    licensesOf(chunks.flatMap(({ moduleIds }) => moduleIds)),
  );
  writeManifest(folder, target, chunks);
}

function isOutside(id: string): boolean {
  if (id.startsWith('node:')) return true;
  const [name = ''] = /^@bindery\/[^/]+/.exec(id) ?? [];
  if (name !== '') return !INCLUDED.includes(name.slice('@bindery/'.length));
  return OUTSIDE.some((outside) => id === outside || id.startsWith(`${outside}/`));
}

/** Returns the modules that others run in threads, by the name under which these look for them. */
function startedModules(target: string): Record<string, string> {
  const modules = globSync(`{${INCLUDED.join()}}/dist/**/*.js`, { cwd: target });
  const started = modules.flatMap((module) =>
    [
      ...readFileSync(join(target, module), 'utf8').matchAll(
        /new URL\('\.\/([^']*)\.js', import\.meta\.url\)/g,
      ),
    ].map(([, name = '']): [string, string] => [name, join(target, dirname(module), `${name}.js`)]),
  );
  return Object.fromEntries(started);
}

/**
 * Resolves packages of Bindery to built ones, instead of those of the clone, and what these import as it is in the
 * clone, where a package can have another version of a dependency than the rest.
 */
function builtPackages(target: string): Plugin {
  return {
    name: 'built-packages',
    resolveId(id, importer) {
      // What reads and writes whole files is installed with the package that does so.
      const [, part = ''] = /^\.\/(read|mechanism|write)\.js$/.exec(id) ?? [];
      const [, format = ''] = /\/formats\/dist\/([^/]+)\/format\.js$/.exec(importer ?? '') ?? [];
      if (part !== '' && format !== '') return { id: `@bindery/formats/${format}/${part}`, external: true };
      const [, name = '', entry = ''] = /^@bindery\/([^/]+)(?:\/(.+))?$/.exec(id) ?? [];
      if (!INCLUDED.includes(name)) {
        const [from = '..'] = relative(target, importer ?? '').split(sep);
        const isBare = /^[^./]/.test(id) && !id.startsWith('node:');
        if (!isBare || from === '..') return null;
        return this.resolve(id, join(PACKAGES, from, 'package.json'), { skipSelf: true });
      }
      const { exports = {} } = readManifest(join(target, name));
      const found = exports[entry === '' ? '.' : `./${entry}`] ?? exports['./*'];
      if (typeof found !== 'object') throw new Error(`@bindery/${name} does not export ${id}`);
      return join(target, name, found.default.replace('*', entry));
    },
  };
}

/** The discovery code is hashed now, since a bundle no longer has its files. */
async function discoveryHash(target: string): Promise<Plugin> {
  const module = join(target, 'sdk/dist/local-discovery/program-hash.js');
  const { programHash } = (await import(pathToFileURL(module).href)) as { programHash(): string };
  return {
    name: 'discovery-hash',
    load: (id) => (id === module ? `export const programHash = () => '${programHash()}';` : null),
  };
}

/** The bundle depends only on what is outside of it. */
function writeManifest(folder: string, target: string, chunks: readonly OutputChunk[]): void {
  const known = Object.assign(
    {},
    ...['cli', ...INCLUDED].map((name) => readManifest(join(target, name)).dependencies),
  ) as Record<string, string>;
  const imported = new Set(chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]));
  const isImported = (name: string) => [...imported].some((id) => id === name || id.startsWith(`${name}/`));
  const dependencies = Object.fromEntries(
    Object.entries(known).filter(([name]) => OUTSIDE.includes(name) && isImported(name)),
  );
  const files = ['bin', 'dist', 'NOTICE', 'THIRD-PARTY-LICENSES'];
  const manifest = { ...readManifest(folder), dependencies, files };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

function readManifest(folder: string): PublishedManifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PublishedManifest;
}
