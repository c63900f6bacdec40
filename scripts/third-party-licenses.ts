import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { noticesOf } from './packages/bundled-licenses.ts';

// npm run licenses -- [<folder> [<file>]]: writes the licences of what npm installed in a folder, but for development, to one file.
const [folder = '.', output = 'build/third-party-licenses.txt'] = process.argv.slice(2);

const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
  packages: Record<string, { dev?: boolean; link?: boolean }>;
};
const installed = Object.entries(packages).filter(
  ([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link,
);
const notices = noticesOf(
  installed.map(([path]) => join(folder, path)),
  () => 'The package names its licence, and has no text of it.',
);
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, notices);
process.stdout.write(`${output}\n`);
