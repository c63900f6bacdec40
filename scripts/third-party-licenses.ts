import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { generateLicenseFile } from 'generate-license-file';

// npm run licenses -- [<package.json> [<file>]]: writes the licences of everything that a package installs to one file.
const [input = 'packages/server/package.json', output = 'build/third-party-licenses.txt'] =
  process.argv.slice(2);

mkdirSync(dirname(resolve(output)), { recursive: true });
await generateLicenseFile(resolve(input), resolve(output));
process.stdout.write(`${output}\n`);
