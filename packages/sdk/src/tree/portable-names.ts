import { collisions } from './name-rules.ts';

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
