import { CommandError } from './output/command-error.ts';
import { EXIT } from './output/exit-codes.ts';

/** Asks yes or no on the terminal. Throws unless the answer is yes. */
export async function confirmOnTerminal(question: string): Promise<void> {
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ message: question, initialValue: false, output: process.stderr });
  if (isCancel(answer))
    throw new CommandError(EXIT.interrupted, 'interrupted', 'Interrupted. Nothing was changed.');
  if (!answer) throw new CommandError(EXIT.usage, 'declined', 'Nothing was changed.');
}
