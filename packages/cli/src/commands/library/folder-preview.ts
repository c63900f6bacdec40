import type { FolderPreview } from '@bindery/sdk/libraries';
import type { Context } from '../../context.ts';
import type { Output } from '../../output/output.ts';
import { plain } from '../../output/text.ts';
import { noteLeftOut } from './note-left-out.ts';
import { showPreview } from './preview.ts';

/** The plan of a push without a sign-in: what the folder would become, but not what that would change. */
export interface UnsignedPlan extends FolderPreview {
  status: 'preview';
}

export async function previewUnsigned(dir: string, { environment }: Context): Promise<UnsignedPlan> {
  const { cacheFolder, previewFolder } = await import('@bindery/sdk/libraries');
  return { status: 'preview', ...previewFolder(dir, { cacheFolder: cacheFolder(environment) }) };
}

export function showUnsigned({ preview, leftOut, warnings }: UnsignedPlan, output: Output): void {
  noteLeftOut(leftOut, output);
  for (const warning of warnings) output.warn(plain(warning));
  showPreview(preview, output);
  output.note('Run "bindery login" to see what a push would change; nothing was sent.');
}
