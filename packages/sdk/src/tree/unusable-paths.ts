import { userPathProblem } from '@bindery/contract/wire';
import { sentenceWithPaths, TreeError } from '../failures.ts';

/** Throws a `TreeError` that names the paths that no library can have. */
export function refuseUnusablePaths(files: readonly { readonly path: string }[]): void {
  const problems = files.flatMap(({ path }) => {
    const problem = userPathProblem(path);
    return problem === null ? [] : [`${JSON.stringify(path)} ${problem}`];
  });
  if (problems.length > 0) {
    throw new TreeError(
      sentenceWithPaths('these paths are not allowed in a library; rename them:', problems),
    );
  }
}
