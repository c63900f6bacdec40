import { CURATION_FILE } from '@bindery/contract/wire';

/** One problem in `bindery.yml`. Lines and columns count from 1. */
export interface CurationProblem {
  line: number;
  column: number;
  message: string;
}

/** `bindery.yml` cannot be used. The message has one line for each problem, with its position. */
export class CurationError extends Error {
  override name = 'CurationError';
  readonly problems: readonly CurationProblem[];

  constructor(problems: readonly CurationProblem[]) {
    super(problems.map((p) => `${CURATION_FILE}:${p.line}:${p.column}: ${p.message}`).join('\n'));
    this.problems = problems;
  }
}
