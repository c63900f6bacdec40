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

/** Returns the part of a path that other programs trust, however a file system may spell it; null if there is none. */
export function trustedPart(path: string): string | null {
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
    .replace(/(?:::\$index_allocation)?[. ]*$/i, '')
    .toLowerCase();
}
