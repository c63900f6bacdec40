import type { FolderPreview, PublishOptions } from '@bindery/sdk/libraries';
import type { Context } from '../../context.ts';
import type { Output } from '../../output/output.ts';
import { sanitizeLine } from '../../output/text.ts';
import { showPreview } from './preview.ts';
import { reportSkippedPaths } from './report-skipped-paths.ts';

/** The plan of a push without a sign-in: what the folder would become, but not what that would change. */
export interface SignedOutPlan extends FolderPreview {
  status: 'preview';
}

export async function previewSignedOut(
  dir: string,
  rules: PublishOptions,
  { environment }: Context,
): Promise<SignedOutPlan> {
  const { cacheFolder, previewFolder } = await import('@bindery/sdk/libraries');
  return { status: 'preview', ...previewFolder(dir, { ...rules, cacheFolder: cacheFolder(environment) }) };
}

export function showSignedOutPlan({ preview, leftOut, warnings }: SignedOutPlan, output: Output): void {
  reportSkippedPaths(leftOut, output);
  for (const warning of warnings) output.warn(sanitizeLine(warning));
  showPreview(preview, output);
  output.note('Run "bindery login" to see what a push would change; nothing was sent.');
}
