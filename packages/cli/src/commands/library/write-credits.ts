import type { CreditsOptions, WrittenCredits } from '@bindery/sdk/reading';
import { flag } from '../../command.ts';
import { usageError } from '../../output/command-error.ts';
import type { Output } from '../../output/output.ts';
import { formatCount, sanitizeLine } from '../../output/text.ts';
import { VERSION } from '../../version.ts';
import { warnOfPaths } from './report.ts';

export const credits = flag('also write CREDITS.md and CREDITS.spdx.json to the folder of the assets');

/** Converts what was typed to options for the SDK; undefined if no credits are requested. */
export function creditsOptions(asked: boolean, environment: NodeJS.ProcessEnv): CreditsOptions | undefined {
  return asked ? { version: VERSION, created: sourceDateEpoch(environment) } : undefined;
}

/**
 * Returns the time that builds use instead of the current one, ISO 8601
 * (https://reproducible-builds.org/specs/source-date-epoch/); undefined if none is set.
 */
export function sourceDateEpoch({ SOURCE_DATE_EPOCH: value = '' }: NodeJS.ProcessEnv): string | undefined {
  if (value === '') return undefined;
  if (/^\d{1,11}$/.test(value)) return new Date(Number(value) * 1_000).toISOString();
  throw usageError(
    `SOURCE_DATE_EPOCH: it must be whole seconds since 1970 (found "${sanitizeLine(value.slice(0, 80))}").`,
  );
}

export function reportCredits(written: WrittenCredits | undefined, output: Output): void {
  if (written === undefined) return;
  const { files, unlicensed } = written;
  if (files.length > 0) output.note(`Credits: ${files.map(sanitizeLine).join(', ')}`);
  warnOfPaths(
    `${formatCount(unlicensed.length, 'asset is', 'assets are')} without a licence; ask their authors before you use them elsewhere`,
    unlicensed,
    output,
  );
}
