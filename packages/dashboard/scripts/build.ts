import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { hashOfInputs, PACKAGES } from './inputs.ts';

const BUILT = join(PACKAGES, 'dashboard', 'dist', 'browser');
const STAMP = 'built-from.txt';

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Larger files are compressed less: maximum compression of ten megabytes takes half a minute. */
const LARGE = 2 * 1024 * 1024;
const PACKED = /\.(js|css|html|wasm|svg)$/;

/** Builds the dashboard into `dist/browser`, unless it is already built from the same inputs. */
export async function buildDashboard(onBuild?: () => void): Promise<void> {
  const inputs = hashOfInputs();
  if (await isBuiltFrom(inputs)) return;
  onBuild?.();
  const folder = `${BUILT}.${process.pid}`;
  try {
    await bundle(folder);
    await compress(folder);
    await writeFile(join(folder, STAMP), inputs);
    await replaceBuilt(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Builds the frame first, because the app includes the list of its code files. */
async function bundle(folder: string): Promise<void> {
  for (const config of ['vite.viewer.config.ts', 'vite.config.ts', 'vite.mcp-app.config.ts'])
    await runVite(config, folder);
}

/** Runs in a separate process: the caller may be a service, or a test with its own environment. */
async function runVite(config: string, folder: string): Promise<void> {
  const vite = createRequire(import.meta.url).resolve('vite/package.json');
  const words = [join(dirname(vite), 'bin', 'vite.js'), 'build', '--logLevel', 'warn'];
  await promisify(execFile)(process.execPath, [...words, '--config', config, '--outDir', folder], {
    cwd: join(PACKAGES, 'dashboard'),
    env: { ...process.env, NODE_ENV: 'production' },
  });
}

async function isBuiltFrom(inputs: string): Promise<boolean> {
  return (await readFile(join(BUILT, STAMP), 'utf8').catch(() => null)) === inputs;
}

/** Writes compressed copies next to the files that they make smaller, so that requests do not wait for compression. */
async function compress(folder: string): Promise<void> {
  const files = (await readdir(folder, { recursive: true })).filter((path) => PACKED.test(path));
  await Promise.all(
    files.map(async (path) => {
      const content = await readFile(join(folder, path));
      const quality = content.length > LARGE ? 6 : 11;
      const copies = {
        br: await brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
        gz: await gzipped(content, { level: 9 }),
      };
      for (const [extension, packed] of Object.entries(copies)) {
        if (packed.length < content.length) await writeFile(join(folder, `${path}.${extension}`), packed);
      }
    }),
  );
}

/** Another process may be building the same inputs at the same time: the last one wins. */
async function replaceBuilt(folder: string): Promise<void> {
  await mkdir(join(BUILT, '..'), { recursive: true });
  for (let tries = 0; ; tries++) {
    await rm(BUILT, { recursive: true, force: true });
    try {
      return await rename(folder, BUILT);
    } catch (error) {
      if (tries === 5) throw error;
    }
  }
}

if (import.meta.main) await buildDashboard();
