import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { ignoredBy, parseRules, type RuleFile } from './publish-rules.ts';

/**
 * Returns the rules that the `.gitignore` files above a folder state for what is in it, up to the root of its git
 * repository, the nearest first. None if the folder is not in one, or if they ignore the folder as a whole: then
 * somebody publishes what the repository does not hold.
 */
export function rulesAbove(root: string): RuleFile[] {
  const repository = repositoryOf(root);
  if (repository === null) return [];
  const files: RuleFile[] = [];
  for (let folder = repository; folder !== root; folder = nextBelow(folder, root)) {
    const text = readIfPresent(join(folder, '.gitignore'));
    const way = `${relative(folder, root).split(sep).join('/')}/`;
    if (text !== null)
      files.unshift(parseRules([{ name: `${pathUp(folder, root)}.gitignore`, text }], (path) => way + path));
  }
  return ignoredBy({ files }, '') === null ? files : [];
}

function repositoryOf(root: string): string | null {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return null;
  }
}

function nextBelow(folder: string, root: string): string {
  const [name = ''] = relative(folder, root).split(sep);
  return join(folder, name);
}

/** `../` for each step from `root` up to `folder`. */
function pathUp(folder: string, root: string): string {
  return '../'.repeat(relative(folder, root).split(sep).length);
}

function readIfPresent(file: string): string | null {
  try {
    return statSync(file).isFile() ? readFileSync(file, 'utf8') : null;
  } catch {
    return null;
  }
}
