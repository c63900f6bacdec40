import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type LockedPackage, type LockedRoot, lockedEntry, lockedTree } from './locked-tree.ts';

// node scripts/packages/lock-installation.ts <folder of packages> <folder of their archives> <prefix> [<package>…]:
// writes package.json and package-lock.json for `npm ci`, with the archives and further packages of the clone, and with
// everything that they depend on in the versions that the tests ran with.

const [packages = '', archives = '', prefix = '', ...further] = process.argv.slice(2);

const own = globSync('*/package.json', { cwd: packages }).map((path) => {
  const directory = basename(join(path, '..'));
  const manifest = JSON.parse(readFileSync(join(packages, path), 'utf8')) as LockedPackage & { name: string };
  const archive = resolve(
    archives,
    `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`,
  );
  return { workspace: `packages/${directory}`, place: `node_modules/${manifest.name}`, manifest, archive };
});
const others: LockedRoot = {
  workspace: 'packages/encoder',
  place: '',
  manifest: { dependencies: Object.fromEntries(further.map((name) => [name, '*'])) },
};
const tree = lockedTree([...own, others]);
const dependencies = Object.fromEntries([
  ...own.map(({ manifest, archive }) => [manifest.name, `file:${archive}`]),
  ...further.map((name) => [name, tree[`node_modules/${name}`]?.version]),
]);
const installed = own.map(({ place, manifest, archive }) => {
  const integrity = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  return [place, { ...lockedEntry(manifest), resolved: `file:${archive}`, integrity }];
});
const root = { private: true, dependencies };
write('package.json', root);
write('package-lock.json', {
  lockfileVersion: 3,
  requires: true,
  packages: { '': root, ...Object.fromEntries(installed), ...tree },
});

function write(name: string, content: unknown): void {
  writeFileSync(join(prefix, name), `${JSON.stringify(content, null, 2)}\n`);
}
