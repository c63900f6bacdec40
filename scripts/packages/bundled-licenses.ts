import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const RULE = '-'.repeat(120);

/** Returns the licences of the packages that bundled modules belong to. Throws for a package that has none. */
export function licensesOf(modules: readonly string[]): string {
  const packages = new Set(
    modules.flatMap((module) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module) ?? []),
  );
  const texts = [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      name: string;
      version: string;
      license: string;
    };
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no file with its licence`);
    return `${RULE}\n${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return `This package contains code of these packages.\n\n${texts.join('\n')}`;
}
