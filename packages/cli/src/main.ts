import type { Context } from './context.ts';
import { createContext } from './create-context.ts';
import { watchInterrupts } from './interrupts.ts';
import { asCommandError, CommandError, usageError, withResumeHint } from './output/command-error.ts';
import { EXIT, type ExitCode } from './output/exit-codes.ts';
import { Output } from './output/output.ts';
import { buildProgram, HelpShown, type Invocation } from './program.ts';
import { VERSION } from './version.ts';

/** Runs one command line and sets the process's exit code. */
export async function main(words: string[]): Promise<void> {
  const streams = { stdout: process.stdout, stderr: process.stderr };
  exitWithoutOutput();
  const interrupts = watchInterrupts(() => process.exit(EXIT.interrupted));
  let output = new Output(streams, {
    json: words.includes('--json'),
    quiet: false,
    color: words.includes('--no-color') ? false : null,
  });
  try {
    const line = asCommandLine(words);
    const program = await buildProgram(line, {
      version: VERSION,
      writeOut: (text) => streams.stdout.write(text),
      writeErr: (text) => output.json || streams.stderr.write(text),
      invoke: async (invocation) => {
        output = new Output(streams, invocation.global);
        process.exitCode = await run(invocation, output, interrupts.signal);
      },
    });
    await program.parseAsync(line, { from: 'user' });
  } catch (error) {
    if (error instanceof HelpShown) {
      if (output.json && error.exitCode === EXIT.usage)
        output.failure(usageError('A command is missing.', 'Run the same with --help for a list.'));
      process.exitCode = error.exitCode;
      return;
    }
    const failure = asCommandError(
      interrupts.signal.aborted && !isInterruption(error) ? interrupts.signal.reason : error,
    );
    output.failure(failure);
    if (process.env.BINDERY_DEBUG) process.stderr.write(`${stackOf(error)}\n`);
    process.exitCode = failure.exitCode;
  } finally {
    interrupts.stop();
  }
}

async function run(invocation: Invocation, output: Output, signal: AbortSignal): Promise<ExitCode> {
  const { command, inputs, global } = invocation;
  const context = createContext({ output, global, signal, environment: process.env });
  try {
    const result = await runResumable(command, inputs, context);
    if (output.json) {
      const value: unknown = command.json ? command.json(result) : result;
      if (value instanceof Uint8Array) output.bytes(value);
      else if (value !== undefined) output.value(value);
    } else {
      command.render(result, output);
    }
    return command.exitCode?.(result) ?? EXIT.done;
  } finally {
    await context.close();
  }
}

async function runResumable(
  { run, resumes }: Invocation['command'],
  inputs: Invocation['inputs'],
  context: Context,
): Promise<unknown> {
  if (!resumes) return run(inputs, context);
  try {
    return await run(inputs, context);
  } catch (error) {
    const { signal } = context;
    throw withResumeHint(asCommandError(signal.aborted ? signal.reason : error));
  }
}

function isInterruption(error: unknown): boolean {
  return error instanceof CommandError && error.exitCode === EXIT.interrupted;
}

/** `bindery` alone and `bindery help …` ask for help. */
function asCommandLine(words: readonly string[]): string[] {
  if (words.length === 0) return ['--help'];
  if (words[0] === 'help') return [...words.slice(1), '--help'];
  return [...words];
}

/** The reader of the output may stop early, as `head` does; that is not a failure. A full disk is. */
function exitWithoutOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    const { message, exitCode } = asCommandError(error);
    process.stderr.write(`Error: The output cannot be written. ${message}\n`);
    process.exit(exitCode);
  });
  process.stderr.on('error', () => {
    // There is nobody left to report to.
  });
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
