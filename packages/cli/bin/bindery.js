#!/usr/bin/env node
// Plain JavaScript for every Node from 18 on: answers --version at once, and finds a Node that runs the program.
import { readFileSync } from 'node:fs';

const [only, ...more] = process.argv.slice(2);
if ((only === '--version' || only === '-V') && more.length === 0) {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  process.stdout.write(`${version}\n`);
} else if (runsTypeScript(process.versions.node)) {
  const { start } = await import('../src/start.js');
  await start();
} else {
  const { runWithOwnNode } = await import('../src/own-node.js');
  await runWithOwnNode(process.argv.slice(1));
}

/** From 22.18 on Node runs TypeScript as it is. */
function runsTypeScript(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}
