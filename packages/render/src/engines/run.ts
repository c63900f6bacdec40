import { spawn } from 'node:child_process';
import { addAbortListener } from 'node:events';
import { neutralEnvironment } from '@bindery/concurrency';
import { toMessageText } from '@bindery/formats/reading/asset-files';
import type { EngineTask } from './prepare.ts';
import type { EngineAnswer, Refused } from './protocol.ts';

/** Which Python has the package of Bindery with its extra `engines`, and what an engine may take for one model. */
export interface EngineLimits {
  readonly python: string;
  /** In milliseconds; the first run of Newton compiles for minutes. */
  readonly timeoutMs: number;
  readonly memoryMiB: number;
}

/** The most of an engine's answer that is read, in bytes. */
const MAX_ANSWER = 32 * 2 ** 20;
const VERSIONS_MS = 30_000;

/** The versions of engines by their names; empty for those that are not installed. */
export async function engineVersions(
  names: readonly string[],
  python: string,
): Promise<ReadonlyMap<string, string>> {
  const limits = { python, timeoutMs: VERSIONS_MS };
  const told = await runPython(['--versions', ...names], '', limits);
  const versions: Record<string, string | null> = 'refused' in told ? {} : JSON.parse(told.text);
  return new Map(names.map((name) => [name, versions[name] ?? '']));
}

/** What to do about an engine that is not installed. */
export function howToInstallEngine(name: string): string {
  return `engine "${name}" needs Python's package: pip install "./python[engines]" in a clone`;
}

/** Runs the trials of a model in an engine, in a process of its own, which ends with the signal. */
export async function runEngine(
  name: string,
  { model, request }: EngineTask,
  limits: EngineLimits,
  signal: AbortSignal,
): Promise<EngineAnswer> {
  const { timeoutMs, memoryMiB } = limits;
  const bounds = { memoryBytes: memoryMiB * 2 ** 20, processorSeconds: Math.ceil(timeoutMs / 500) };
  const answer = await runPython([name], JSON.stringify({ ...request, ...bounds, model }), limits, signal);
  if ('refused' in answer) return answer;
  try {
    return answerOf(JSON.parse(answer.text));
  } catch {
    return { refused: 'it answered nothing that can be read', isTransient: false };
  }
}

/** What runs a stranger's file is not believed, whatever it prints. */
function answerOf(value: EngineAnswer): EngineAnswer {
  if ('refused' in value) return { refused: toMessageText(String(value.refused)), isTransient: false };
  const isNumbers = (rows: readonly (readonly number[])[]) =>
    rows.every((row) => row.every((number) => Number.isFinite(number)));
  const isSound = value.trials.every(
    ({ broken, gain, peak, course, centres }) =>
      isNumbers(course) && isNumbers(centres) && isNumbers([[broken ?? 0, gain, peak]]),
  );
  if (!isSound || !value.losses.every((loss) => typeof loss === 'string')) throw new Error('not an answer');
  return value;
}

async function runPython(
  args: readonly string[],
  input: string,
  { python, timeoutMs }: Pick<EngineLimits, 'python' | 'timeoutMs'>,
  signal?: AbortSignal,
): Promise<{ text: string } | Refused> {
  // A group of its own, so that what it starts ends with it.
  const child = spawn(python, ['-m', 'bindery.engines', ...args], {
    env: neutralEnvironment(),
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  let refused: string | undefined;
  const end = (why: string) => {
    refused ??= why;
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  const timer = setTimeout(() => end(`took longer than ${timeoutMs} ms`), timeoutMs);
  using _ = signal && addAbortListener(signal, () => end('was stopped'));
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER) end('answers too much');
    else chunks.push(chunk);
  });
  // What ends without reading its input explains itself by how it ends.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  try {
    const { code, signal: by } = await new Promise<{ code: number | null; signal: string | null }>(
      (resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code, signal) => resolve({ code, signal }));
      },
    );
    if (refused !== undefined) return { refused, isTransient: true };
    if (code === 0) return { text: Buffer.concat(chunks).toString() };
    return { refused: by === null ? `ended with code ${code}` : `was ended by ${by}`, isTransient: true };
  } catch (error) {
    return { refused: `cannot be started: ${(error as Error).message}`, isTransient: true };
  } finally {
    end('ended');
    clearTimeout(timer);
  }
}
