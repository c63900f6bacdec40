import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BINDERY } from '../packages/cli/test/command-line.ts';

export interface CommandResult {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  /** Added to an environment without any Bindery settings. */
  env?: Record<string, string>;
  input?: string;
  cwd?: string;
  /** A `bindery.js` other than the one under test. */
  program?: string | undefined;
}

/** Runs one command in a separate process and waits until it exits. */
export async function bindery(words: string[], options: CommandOptions = {}): Promise<CommandResult> {
  const child = spawnBindery(words, options);
  const output = gather(child);
  child.stdin?.end(options.input ?? '');
  await once(child, 'close');
  return { exitCode: child.exitCode, ...output() };
}

/** `bindery serve` in a separate process. */
export interface RunningService {
  url: string;
  dataDir: string;
  process: ChildProcess;
  /** Returns what it has printed so far. */
  output(): { stdout: string; stderr: string };
  /** Stops it with a signal and waits; returns the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
  /** Stops it if it is still running, and removes its data folder. */
  dispose(): Promise<void>;
}

/** Starts the service on a free port and waits for its ready line; throws its output if it exits before that. */
export async function serve(
  options: CommandOptions & { dataDir?: string; port?: string; words?: string[] } = {},
): Promise<RunningService> {
  const dataDir = options.dataDir ?? (await temporaryFolder());
  const { port = '0', words: more = [] } = options;
  const words = ['serve', '--port', port, '--data-dir', dataDir, ...more];
  const child = spawnBindery(words, options);
  const output = gather(child);
  const closed = once(child, 'close');
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const [, found] = /^listening on (\S+)\n/.exec(output().stdout) ?? [];
      if (found) resolve(found);
    });
    void closed.then(() => reject(new Error(`The service ended: ${output().stderr}`)));
  });
  const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    await closed;
    return child.exitCode;
  };
  return {
    url,
    dataDir,
    process: child,
    output,
    end,
    dispose: async () => {
      if (child.exitCode === null && child.signalCode === null) await end('SIGKILL');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'bindery-e2e-'));
}

/** Starts one command in a separate process. A service never reports overload, although tests share the processors. */
export function spawnBindery(words: string[], { env, cwd, program = BINDERY }: CommandOptions): ChildProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('BINDERY_'));
  return spawn(process.execPath, [program, ...words], {
    cwd,
    env: {
      ...Object.fromEntries(inherited),
      NO_COLOR: '1',
      BINDERY_MAX_DELAY_MS: 'off',
      BINDERY_ENCODER: 'siglip2',
      ...env,
    },
    stdio: 'pipe',
  });
}

function gather(child: ChildProcess): () => { stdout: string; stderr: string } {
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  return () => ({ stdout, stderr });
}
