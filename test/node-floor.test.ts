import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** What is promised; the launcher of a clone also starts with an older one. */
const FLOOR = '22.18';

test('every package requires the same Node', () => {
  const floors = globSync(['package.json', 'packages/*/package.json'], { cwd: ROOT }).map((path) => {
    const { engines } = JSON.parse(read(path)) as { engines?: { node?: string } };
    return [path, engines?.node];
  });
  expect(floors.length).toBeGreaterThan(9);
  expect(floors).toEqual(floors.map(([path]) => [path, `>=${FLOOR}`]));
});

test.each(['README.md', 'docs/self-hosting.md', 'packages/cli/README.md', '.ci/run', 'deploy/install.sh'])(
  '%s names no other Node than that',
  (path) => {
    const named = read(path).matchAll(/Node(?:\.js)? (\d+(?:\.\d+)?)/g);
    expect(new Set(Array.from(named, ([, version]) => version))).toEqual(new Set([FLOOR]));
  },
);
