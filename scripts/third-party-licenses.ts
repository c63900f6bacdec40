import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import licenses from 'spdx-license-list/full.js';
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
  ({ name, license }) => {
    const text = licenses[license]?.licenseText;
    if (text === undefined)
      throw new Error(`${name} has no file with its licence, and ${license} is not an SPDX identifier`);
    return `The package has no file with its licence. The text of ${license}:\n\n${text.trim()}`;
  },
);
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, notices);
process.stdout.write(`${output}\n`);
