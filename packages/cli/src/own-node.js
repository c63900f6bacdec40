import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/** Runs the program again with the Node that came with the installation, and ends as it ends. */
export async function runWithOwnNode(argv) {
  const node = findOwnNode();
  if (!node) {
    process.stderr.write(
      `bindery needs Node 22.18 or newer; this is ${process.versions.node}, and the installation has none of its own.\n` +
        'Install a newer Node from https://nodejs.org, or run "npm install" in the clone again.\n',
    );
    process.exitCode = 3;
    return;
  }
  const child = spawn(node, argv, {
    stdio: 'inherit',
    env: { ...process.env, BINDERY_LAUNCHER_PID: String(process.pid) },
  });
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal));
  const [code, signal] = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (...end) => resolve(end));
  });
  for (const name of FORWARDED) process.removeAllListeners(name);
  process.exitCode = signal ? 128 + constants.signals[signal] : (code ?? 1);
}

/** The binary of the npm package `node`, wherever it was installed above this file. */
function findOwnNode() {
  const require = createRequire(import.meta.url);
  const executable = process.platform === 'win32' ? 'node.exe' : 'node';
  try {
    const binary = join(dirname(require.resolve('node/package.json')), 'bin', executable);
    return existsSync(binary) ? binary : null;
  } catch {
    return null;
  }
}
