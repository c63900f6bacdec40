import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH } from '@bindery/contract';
import { OWNER, seedDataFolder, seedLibrary } from '../seed.ts';
import { generateLibrary } from './corpus.ts';

const COMMAND = fileURLToPath(new URL('../../packages/cli/bin/bindery.js', import.meta.url));

/**
 * Writes libraries with vectors into a data folder directly, without the bytes of their files, which no search reads.
 * All have the same texts; `matrices` has one matrix for each.
 */
export async function seed(
  dataDir: string,
  { assets, model, matrices }: { assets: number; model: string; matrices: Iterable<Float32Array> },
): Promise<{ libraries: string[]; token: string }> {
  return seedDataFolder(dataDir, async (seeding) => {
    const libraries: string[] = [];
    for (const matrix of matrices) {
      const name = `library-${libraries.length}`;
      const { manifest, document } = generateLibrary(assets, model);
      await seedLibrary(seeding, {
        name,
        manifest: Buffer.from(JSON.stringify(manifest)),
        artifacts: [
          { path: VECTORS_INDEX_PATH, bytes: document },
          { path: VECTORS_MATRIX_PATH, bytes: new Uint8Array(matrix.buffer) },
        ],
        visibility: 'public',
      });
      libraries.push(`${OWNER}/${name}`);
    }
    return { libraries, token: seeding.token };
  });
}

export interface Service {
  process: ChildProcess;
  url: string;
  end(): Promise<void>;
}

/** Starts the service in a separate process, with additional settings if given. */
export async function serve(
  dataDir: string,
  models: string,
  model: string,
  settings: NodeJS.ProcessEnv = {},
): Promise<Service> {
  const child = spawn(process.execPath, [COMMAND, 'serve', '--port', '0', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...{ ...process.env, ...settings },
      ...{ BINDERY_LOG_LEVEL: 'silent', BINDERY_ENCODER: model, BINDERY_MODEL_DIR: models },
    },
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listening on (\S+)/.exec(line)?.[1];
    if (url) return { process: child, url, end: () => end(child) };
  }
  throw new Error('The service did not start.');
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
}
