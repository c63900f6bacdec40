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
