import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface LockedPackage {
  optionalDependencies?: Record<string, string>;
}

test('the lock file names every optional package, those of other platforms too, or `npm ci` refuses it', () => {
  const text = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, LockedPackage> };
  const locked = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  );
  expect(wanted.length).toBeGreaterThan(0);
  expect(wanted.filter((name) => !locked.has(name))).toEqual([]);
});
