import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { LONG_FAULTS } from './faults.ts';
import { BUILT, startedModules, startingBuilt } from './started-modules.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ENTRY = 'packages/cli/bin/bindery.js';
const STAMP = 'built-from.txt';
/** Rebuilds the dashboard if needed whenever a service starts; `test/dashboard.ts` has already done so for the run. */
const DASHBOARD = join(ROOT, 'packages/dashboard/src/folder.ts');
const INPUTS = [
  ENTRY,
  'packages/*/src/**/*.{ts,js}',
  'packages/*/test/**/*.ts',
  'packages/*/package.json',
  'package-lock.json',
  'test/{command,started-modules}.ts',
];

/** Packages loaded from where they are installed, because they have binaries, or files and threads of their own. */
const OUTSIDE =
  /\/node_modules\/(@energetic-ai|@img|@mujoco|draco3dgltf|occt-import-js|onnxruntime-common|onnxruntime-node|pino|piscina|sharp|sonic-boom|thread-stream|three|usearch)\//;

/**
 * Bundles the command line, its threads and processes and those of tests into a few files, because tests start them
 * thousands of times, and half of each start would be spent on finding, stripping and loading modules. The long form of
 * the tests, the demo and the tests of the launcher run only the sources.
 */
export default async function buildCommand(): Promise<void> {
  if (LONG_FAULTS) return;
  const inputs = hashOfInputs();
  if ((await readFile(join(BUILT, STAMP), 'utf8').catch(() => null)) !== inputs) await build(inputs);
  process.env.BINDERY_TEST_COMMAND = join(BUILT, 'bindery.js');
}

function hashOfInputs(): string {
  const hash = createHash('sha256');
  for (const path of globSync(INPUTS, { cwd: ROOT }).sort()) {
    hash.update(`${path}\0`).update(readFileSync(join(ROOT, path)));
  }
  return hash.digest('hex');
}

async function build(inputs: string): Promise<void> {
  const folder = `${BUILT}.${process.pid}`;
  try {
    await using bundle = await rolldown({
      cwd: ROOT,
      input: { bindery: join(ROOT, ENTRY), ...startedModules() },
      platform: 'node',
      plugins: [inPlace],
    });
    await bundle.write({ dir: folder, format: 'esm' });
    // Makes the chunks ES modules regardless of the enclosing folder.
    await writeFile(join(folder, 'package.json'), '{"type":"module"}\n');
    await writeFile(join(folder, STAMP), inputs);
    await mkdir(dirname(BUILT), { recursive: true });
    await rm(BUILT, { recursive: true, force: true });
    await rename(folder, BUILT);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Lets every module find the files next to its source, and resolves external packages to the installed ones. */
const inPlace: Plugin = {
  name: 'in-place',
  load(id) {
    if (id !== DASHBOARD) return null;
    const folder = join(dirname(DASHBOARD), '../dist/browser');
    return `export const dashboardFolder = async () => ${JSON.stringify(folder)};`;
  },
  async resolveId(id, importer, options) {
    if (importer === undefined) return null;
    const found = await this.resolve(id, importer, { ...options, skipSelf: true });
    if (found && !found.external && OUTSIDE.test(found.id)) return { id: found.id, external: 'absolute' };
    return found;
  },
  transform(code, id) {
    if (!code.includes('import.meta.')) return null;
    return startingBuilt(code, id)
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
      .replaceAll('import.meta.filename', JSON.stringify(id));
  },
};
