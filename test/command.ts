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
/** Looks for what changed before each start of a service; `test/dashboard.ts` has done so for the run. */
const DASHBOARD = join(ROOT, 'packages/dashboard/src/folder.ts');
const INPUTS = [
  ENTRY,
  'packages/*/src/**/*.{ts,js}',
  'packages/*/test/**/*.ts',
  'packages/*/package.json',
  'package-lock.json',
  'test/{command,started-modules}.ts',
];

/** Packages that are read from where they are installed: with binaries, or with files and threads of their own. */
const OUTSIDE =
  /\/node_modules\/(@energetic-ai|@img|@jsquash|@mujoco|draco3dgltf|onnxruntime-common|onnxruntime-node|pino|piscina|sharp|sonic-boom|thread-stream|three|usearch)\//;

/**
 * Builds the command line, its threads and processes and those of tests into a few files, because tests start them
 * thousands of times and half of each start would be finding, stripping and loading modules. The long form of the tests,
 * the demo and the tests of the launcher run the sources alone.
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
    // The chunks are modules whatever the folder that they lie in says.
    await writeFile(join(folder, 'package.json'), '{"type":"module"}\n');
    await writeFile(join(folder, STAMP), inputs);
    await mkdir(dirname(BUILT), { recursive: true });
    await rm(BUILT, { recursive: true, force: true });
    await rename(folder, BUILT);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Every module finds what lies beside its source, and the packages outside are the installed ones. */
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
