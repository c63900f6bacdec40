import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const RULE = '-'.repeat(120);

/** Returns the licences of the packages that bundled modules belong to. Throws for a package that has none. */
export function licensesOf(modules: readonly string[]): string {
  const packages = new Set(
    modules.flatMap((module) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module) ?? []),
  );
  return `This package contains code of these packages.\n\n${noticesOf([...packages].sort(), ({ name }) => {
    throw new Error(`${name} has no file with its licence`);
  })}`;
}

interface InstalledPackage {
  name: string;
  version: string;
  /** Of SPDX. */
  license: string;
}

/**
 * Returns names, versions and licences of installed packages, in the order of their folders; `withoutText` gives the text
 * for one that has no file with its licence.
 */
export function noticesOf(
  folders: readonly string[],
  withoutText: (installed: InstalledPackage) => string,
): string {
  const notices = folders.map((folder) => {
    const installed = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as InstalledPackage;
    const { name, version, license } = installed;
    const files = readdirSync(folder).filter((entry) => /^(?:licen[cs]e|copying|notice)/i.test(entry));
    const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
    const text = texts.length === 0 ? withoutText(installed) : texts.join('\n\n');
    return `${RULE}\n${name} ${version} (${license})\n\n${text}\n`;
  });
  return notices.join('\n');
}
