import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
const USAGE = 2;

/** Runs the program again with the Node that came with the installation, and ends as it ends. */
export async function runWithOwnNode(argv) {
  const node = findOwnNode();
  if (!node) {
    process.stderr.write(
      `Error: bindery needs Node 22.18 or newer; this is ${process.versions.node}, and the installation has none of its own.\n` +
        'Type "npm install" in the clone again, or install a newer Node from https://nodejs.org.\n',
    );
    process.exitCode = USAGE;
    return;
  }
  // The channel ties the two together: it closes when this process dies, in whichever way.
  const child = spawn(node, argv, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal));
  const [code, signal] = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (...end) => resolve(end));
  });
  process.exitCode = signal ? 128 + constants.signals[signal] : code;
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
