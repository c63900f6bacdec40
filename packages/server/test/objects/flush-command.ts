import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Stands in for the Perl that flushes file systems: it answers its n-th flush with the n-th line of `answers`, else 0. */
const PROGRAM = `#!/bin/sh
cd "$(dirname "$0")"
echo $$ >> processes
echo 0
while read -r _; do
  echo >> flushes
  answer=$(sed -n "$(wc -l < flushes)p" answers)
  case "$answer" in
    ends) exit 1 ;;
    hangs) exec sleep 600 ;;
    waits) until test -e released; do sleep 0.01; done; echo 0 ;;
    *) echo "\${answer:-0}" ;;
  esac
done
`;

/** A number of an error of the system, or what the command does instead of answering. */
export type FlushAnswer = 0 | 5 | 28 | 'ends' | 'hangs' | 'waits';

export class FlushCommand {
  readonly #folder = mkdtempSync(join(tmpdir(), 'bindery-flush-'));

  constructor() {
    writeFileSync(this.#file('perl'), PROGRAM);
    chmodSync(this.#file('perl'), 0o755);
    this.answer();
  }

  /** A PATH on which this command comes first. */
  get path(): string {
    return this.#folder + delimiter + process.env.PATH;
  }

  /** Sets the answers to the flushes from the first one on. */
  answer(...answers: FlushAnswer[]): void {
    writeFileSync(this.#file('answers'), answers.map((answer) => `${answer}\n`).join(''));
  }

  /** Lets the real Perl run in the place of this command. */
  passOn(): void {
    writeFileSync(
      this.#file('perl'),
      `#!/bin/sh\necho $$ >> "${this.#file('processes')}"\nexec env PATH="${process.env.PATH}" perl "$@"\n`,
    );
  }

  /** Ends all waits. */
  release(): void {
    writeFileSync(this.#file('released'), '');
  }

  /** How many flushes there were. */
  get flushes(): number {
    return this.#lines('flushes').length;
  }

  get processes(): number[] {
    return this.#lines('processes').map(Number);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }

  #file(name: string): string {
    return join(this.#folder, name);
  }

  #lines(name: string): string[] {
    const path = this.#file(name);
    return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
  }
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
