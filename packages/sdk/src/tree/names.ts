import { userPathProblem } from '@bindery/contract/wire';
import { sentenceWithPaths, TreeError } from '../failures.ts';

/** How a file system treats names. */
export interface NameRules {
  /** Whether `a` and `A` are the same file. */
  foldsCase: boolean;
  /** Whether the composed and the decomposed form of a letter are the same file. */
  foldsNormalization: boolean;
  /** Windows: some names and characters cannot be used, and final dots and spaces are dropped. */
  windows: boolean;
}

const RESERVED_ON_WINDOWS = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?$/i;
const FORBIDDEN_ON_WINDOWS = /[<>:"|?*]|[. ]$/;

/** Returns the paths that collide, or that cannot be written at all, in one phrase each. */
export function collisions(paths: readonly string[], rules: NameRules): string[] {
  const problems = rules.windows ? paths.flatMap(windowsProblem) : [];
  const seen = new Map<string, string>();
  for (const path of paths) {
    for (const prefix of prefixesOf(path)) {
      const folded = fold(prefix, rules);
      const first = seen.get(folded);
      if (first === undefined) seen.set(folded, prefix);
      else if (first !== prefix) problems.push(`${first} and ${prefix}`);
    }
  }
  return [...new Set(problems)];
}

function windowsProblem(path: string): string[] {
  const segment = path.split('/').find(isDoubtful);
  return segment === undefined
    ? []
    : [`${path} (Windows does not allow the name ${JSON.stringify(segment)})`];
}

/** Whether Windows, and some of its file systems elsewhere, cannot hold the name. */
export function isDoubtful(name: string): boolean {
  return RESERVED_ON_WINDOWS.test(name) || FORBIDDEN_ON_WINDOWS.test(name);
}

/** The path and every folder above it. */
function prefixesOf(path: string): string[] {
  const prefixes: string[] = [];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) prefixes.push(path.slice(0, at));
  prefixes.push(path);
  return prefixes;
}

function fold(path: string, { foldsCase, foldsNormalization }: NameRules): string {
  const normal = foldsNormalization ? path.normalize('NFC') : path;
  // Upper case first: this also unifies letters such as the two lower-case sigmas.
  return foldsCase ? normal.toUpperCase().toLowerCase() : normal;
}

/** Windows opens paths of 259 characters; the rest is for the folder that a library is pulled into. */
const MAX_PATH = 200;
const WINDOWS = { foldsCase: false, foldsNormalization: false, windows: true };
const TWINS = { foldsCase: true, foldsNormalization: true, windows: false };

/** A path that some file systems cannot hold. */
export interface UnportablePath {
  path: string;
  /** What is wrong, with the path. */
  problem: string;
}

/**
 * Returns paths that Windows or FAT cannot hold, because of a name, a length, or another path that differs only in
 * letter case or Unicode form.
 */
export function unportablePaths(paths: readonly string[]): UnportablePath[] {
  const named = paths.flatMap((path) => collisions([path], WINDOWS).map((problem) => ({ path, problem })));
  const long = paths
    .filter((path) => path.length > MAX_PATH)
    .map((path) => ({
      path,
      problem: `${path} is longer than ${MAX_PATH} characters, which many programs on Windows cannot open`,
    }));
  const places = firstInEach(paths);
  const twins = collisions(paths, TWINS).map((pair) => ({
    path: secondOf(pair, places),
    problem: `${pair} are the same to Windows, macOS and FAT`,
  }));
  return [...named, ...twins, ...long];
}

/** Returns the first path in each folder, and each path itself. */
function firstInEach(paths: readonly string[]): Map<string, string> {
  const places = new Map<string, string>();
  for (const path of paths) {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const place = path.slice(0, end);
      if (!places.has(place)) places.set(place, path);
    }
  }
  return places;
}

/** Returns a file of the second of a pair, `<path> and <path>`, of which either may have the word in its name. */
function secondOf(pair: string, places: ReadonlyMap<string, string>): string {
  for (let at = pair.indexOf(AND); at >= 0; at = pair.indexOf(AND, at + 1)) {
    const path = places.get(pair.slice(at + AND.length));
    if (path !== undefined) return path;
  }
  return pair;
}

const AND = ' and ';

/** Throws a `TreeError` that names the paths that no library can have. */
export function refuseUnusablePaths(files: readonly { readonly path: string }[]): void {
  const problems = files.flatMap(({ path }) => {
    const problem = userPathProblem(path);
    return problem === null ? [] : [`${JSON.stringify(path)} ${problem}`];
  });
  if (problems.length > 0) {
    throw new TreeError(
      sentenceWithPaths('These paths are not allowed in a library; rename them:', problems),
    );
  }
}

/**
 * Folders and files, in lower case, in which other programs find what they run, or what they believe, without being told
 * to. Nothing of a library is placed at such a name or below it.
 */
const TRUSTED = new Set([
  // Version control and its hooks
  ...['.git', '.hg', '.svn', '.jj', '.bzr', '.husky', '.githooks', '.gitconfig', '.gitmodules'],
  ...['.pre-commit-config.yaml', 'git~1'],
  // Editors and agents
  ...['.vscode', '.vscode-server', '.idea', '.cursor', '.windsurf', '.zed', '.fleet', '.devcontainer'],
  ...['.claude', '.codex', '.gemini', '.continue', '.mcp.json'],
  // Continuous integration
  ...['.github', '.gitlab', '.gitlab-ci.yml', '.circleci', '.forgejo', '.gitea', '.woodpecker', '.buildkite'],
  // Keys and accounts
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.netrc', '.pypirc', '.config'],
  // Shells, packages and environments
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.profile', '.envrc', '.direnv'],
  ...['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.local/bin', '.local/lib'],
  ...['.npmrc', '.yarnrc', '.yarnrc.yml', '.yarn', '.pnpmfile.cjs', '.cargo', '.mvn', '.gradle', '.bundle'],
  ...['.venv', '.ipython', '.jupyter'],
]);

/** All of them begin with a dot, except for a short name; other letters than those of ASCII may stand for one. */
const MAY_BE_TRUSTED = /[^ -~]|(?:^|\/)\.|git~/i;

/** Returns the part of a path that other programs trust, however a file system may spell it; null if there is none. */
export function trustedPart(path: string): string | null {
  if (!MAY_BE_TRUSTED.test(path)) return null;
  const names = path.split('/');
  return (
    names.find((name, nth) => {
      const folded = foldedName(name);
      return TRUSTED.has(folded) || TRUSTED.has(`${folded}/${foldedName(names[nth + 1] ?? '')}`);
    }) ?? null
  );
}

/** Returns the paths that other programs trust, wholly or in part. */
export function trustedPaths(paths: Iterable<string>): string[] {
  return [...paths].filter((path) => trustedPart(path) !== null);
}

/** File systems ignore letter case, invisible characters, and final dots and spaces. */
function foldedName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/(?:::\$index_allocation)?(?<![. ])[. ]*$/i, '')
    .toLowerCase();
}
