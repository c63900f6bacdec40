#!/usr/bin/env node
// Plain JavaScript for older Nodes too: answers --version at once, and finds a Node that runs the program.
import { existsSync, readFileSync } from 'node:fs';

// The TypeScript of a clone has syntax that Node knows from 24 on; packages are built for older ones.
const [leastMajor, leastMinor] = existsSync(new URL('../src/main.ts', import.meta.url)) ? [24, 0] : [22, 18];

const [only, ...more] = process.argv.slice(2);
if ((only === '--version' || only === '-V') && more.length === 0) {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  process.stdout.write(`${version}\n`);
} else if (isNewEnough(process.versions.node)) {
  const { start } = await import('../src/start.js');
  await start();
} else {
  const { runWithOwnNode } = await import('../src/own-node.js');
  await runWithOwnNode(process.argv.slice(1), `${leastMajor}.${leastMinor}`);
}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
