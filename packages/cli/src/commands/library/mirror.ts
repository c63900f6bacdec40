import { type Mirror, parseMirrorLocation } from '@bindery/sdk';
import { option, type Parse, UsageProblem } from '../../command.ts';
import type { Context } from '../../context.ts';

const location: Parse<string> = (value) => {
  try {
    parseMirrorLocation(value);
    return value;
  } catch (error) {
    if (error instanceof TypeError) throw new UsageProblem(error.message.replace(/\.$/, ''));
    throw error;
  }
};

export const mirror = option('<url or dir>', 'download from a mirror, verifying every byte', location);

/** Runs `work` with the mirror that was given, if any, and closes it. */
export async function withMirror<T>(
  location: string | undefined,
  context: Context,
  work: (mirror: Mirror | undefined) => Promise<T>,
): Promise<T> {
  if (location === undefined) return work(undefined);
  const { openMirror } = await import('@bindery/sdk/reading');
  const { minTransferRate } = await context.settings();
  const opened = openMirror(location, { minTransferRate });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}
