import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The program as it lies in the clone. */
export const SOURCE_BINDERY = fileURLToPath(new URL('../bin/bindery.js', import.meta.url));

/** The same, built once for the run where `test/command.ts` has done so: it starts in half the time. */
export const BINDERY = process.env.BINDERY_TEST_COMMAND ?? SOURCE_BINDERY;

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A person at a terminal of their own: a home folder, settings, and the real command. */
export class TerminalUser {
  readonly home: string;
  readonly environment: Record<string, string>;

  constructor(home: string, environment: Record<string, string>) {
    this.home = home;
    this.environment = environment;
  }

  /** The same person with further variables set. */
  with(variables: Record<string, string>): TerminalUser {
    return new TerminalUser(this.home, { ...this.environment, ...variables });
  }

  get configFolder(): string {
    return join(this.home, '.config', 'bindery');
  }

  start(...words: string[]): ChildProcess {
    return spawn(process.execPath, [BINDERY, ...words], { env: this.environment, cwd: this.home });
  }

  /** Runs a command to its end. */
  async run(...words: string[]): Promise<CommandResult> {
    return waitForExit(this.start(...words));
  }

  async dispose(): Promise<void> {
    await rm(this.home, { recursive: true, force: true });
  }
}

/** A person on a machine without a keychain, who uses `server`. */
export async function createTerminalUser(server = 'http://127.0.0.1:1'): Promise<TerminalUser> {
  const home = await mkdtemp(join(tmpdir(), 'bindery-person-'));
  return new TerminalUser(home, {
    PATH: process.env.PATH ?? '',
    HOME: home,
    BINDERY_API_URL: server,
    BINDERY_NO_KEYCHAIN: '1',
    XDG_CACHE_HOME: join(tmpdir(), 'bindery-test-cache'),
  });
}

export async function waitForExit(child: ChildProcess): Promise<CommandResult> {
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: stdout(), stderr: stderr() };
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

/** Waits until the program has written something that matches, and answers the match. */
export function waitForOutput(
  stream: NodeJS.ReadableStream | null,
  pattern: RegExp,
): Promise<RegExpExecArray> {
  let text = '';
  return new Promise((resolve, reject) => {
    stream?.setEncoding('utf8');
    stream?.on('data', (chunk: string) => {
      text += chunk;
      const match = pattern.exec(text);
      if (match) resolve(match);
    });
    stream?.once('close', () => reject(new Error(`${pattern} never came; there was: ${text}`)));
  });
}
