import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { usageError } from '../../output/command-error.ts';
import { sanitizeLine } from '../../output/text.ts';

/** Throws a usage error if a folder that somebody named is one that other programs trust. The working folder may be in one. */
export async function refuseTrustedTarget(target: string): Promise<void> {
  const { trustedPart } = await import('@bindery/sdk/reading');
  const real = realPathOf(resolve(target));
  const below = relative(realPathOf(process.cwd()), real);
  const isBelow = below !== '..' && !below.startsWith(`..${sep}`) && resolve(below) !== below;
  const part = trustedPart((isBelow ? below : real).replaceAll(sep, '/'));
  if (part === null) return;
  throw usageError(
    `${sanitizeLine(target)} is in ${part}, where other programs find what they run or trust.`,
    'Choose another folder.',
  );
}

/** Resolves the links of a path that need not exist. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPathOf(above), basename(path));
  }
}
