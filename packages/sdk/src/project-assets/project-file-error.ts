/** One problem in a file of a project. Lines and columns count from 1. */
export interface FileProblem {
  line: number;
  column: number;
  message: string;
}

/** `assets.yml` or `assets.lock` cannot be used. The message has one line for each problem, with its position. */
export class ProjectFileError extends Error {
  override readonly name = 'ProjectFileError';
  readonly file: string;
  readonly problems: readonly FileProblem[];

  constructor(file: string, problems: readonly FileProblem[]) {
    super(problems.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`).join('\n'));
    this.file = file;
    this.problems = problems;
  }
}
