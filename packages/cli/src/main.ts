import { createContext } from './create-context.ts';
import { watchInterrupts } from './interrupts.ts';
import { asCommandError } from './output/command-error.ts';
import { EXIT, type ExitCode } from './output/exit-codes.ts';
import { Output } from './output/output.ts';
import { buildProgram, CommanderError, type Invocation } from './program.ts';
import { VERSION } from './version.ts';

/** Runs one command line and sets the process's exit code. */
export async function main(words: string[]): Promise<void> {
  const streams = { stdout: process.stdout, stderr: process.stderr };
  const interrupts = watchInterrupts();
  let output = new Output(streams, {
    json: words.includes('--json'),
    quiet: false,
    color: words.includes('--no-color') ? false : null,
  });
  try {
    const program = await buildProgram(words, {
      version: VERSION,
      writeOut: (text) => streams.stdout.write(text),
      writeErr: (text) => streams.stderr.write(text),
      invoke: async (invocation) => {
        output = new Output(streams, invocation.global);
        process.exitCode = await run(invocation, output, interrupts.signal);
      },
    });
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
      return;
    }
    const failure = asCommandError(interrupts.signal.aborted ? interrupts.signal.reason : error);
    output.failure(failure);
    process.exitCode = failure.exitCode;
  } finally {
    interrupts.stop();
  }
}

async function run(invocation: Invocation, output: Output, signal: AbortSignal): Promise<ExitCode> {
  const { command, inputs, global } = invocation;
  const context = createContext({ output, global, signal, environment: process.env });
  try {
    const result: unknown = await command.run(inputs, context);
    if (output.json) {
      const value: unknown = command.json ? command.json(result) : result;
      if (value instanceof Uint8Array) output.bytes(value);
      else output.value(value);
    } else {
      command.render(result, output);
    }
    return command.exitCode?.(result) ?? EXIT.done;
  } finally {
    await context.close();
  }
}
