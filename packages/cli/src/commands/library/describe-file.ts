import { DESCRIPTOR_VERSION, readDescriptor } from '@bindery/contract/wire';
import type { DescribedSubject, LocalModel } from '@bindery/sdk/libraries';
import { CommandError } from '../../output/command-error.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { formatCount, sanitizeLine } from '../../output/text.ts';
import { openThumbnailPool } from './thumbnails.ts';

/** What a model or a picture of this machine is compared by. */
export interface DescribedFile {
  described: DescribedSubject;
  /** Files that a model refers to and that are not there, as it names them. */
  missing: readonly string[];
}

/**
 * Describes a model or a picture of this machine for the service to search by; of what it refers to, nothing outside of
 * `within` is read. Throws `CommandError`.
 */
export async function describeFile(
  file: string,
  within?: string,
  signal?: AbortSignal,
): Promise<DescribedFile> {
  const { findLocalModel } = await import('@bindery/sdk/libraries');
  const { missing, ...model } = await findLocalModel(file, within, { signal });
  if (model.kind === 'image') return { described: await describePicture(file, model), missing };
  await using pool = await openThumbnailPool('Comparing a model');
  const measured = await pool.measure(model);
  const descriptor = 'statistics' in measured ? readDescriptor({ ...measured }) : null;
  if (descriptor !== null)
    return {
      described: { version: DESCRIPTOR_VERSION, model: Buffer.from(descriptor).toString('base64') },
      missing,
    };
  const why = 'warning' in measured ? measured.warning : 'nothing visible in it';
  throw undescribed(file, missing.length === 0 ? why : `${why}; ${countMissing(missing)}`);
}

async function describePicture(file: string, picture: Omit<LocalModel, 'missing'>) {
  await using pool = await openThumbnailPool('Searching by a picture');
  const described = await pool.describe(picture);
  if ('warning' in described) throw undescribed(file, described.warning);
  return { version: DESCRIPTOR_VERSION, picture: described.descriptor } as const;
}

const MAX_NAMED = 4;

/** `2 files that it names are missing (meshes/hand.stl, meshes/foot.stl)`. */
export function countMissing(names: DescribedFile['missing']): string {
  const shown = names.length > MAX_NAMED ? [...names.slice(0, MAX_NAMED), '…'] : names;
  const verb = names.length === 1 ? 'is' : 'are';
  return `${formatCount(names.length, 'file')} that it names ${verb} missing (${sanitizeLine(shown.join(', '))})`;
}

function undescribed(file: string, why: string): CommandError {
  return new CommandError(
    EXIT.usage,
    'cannot_compare',
    `${sanitizeLine(file)} cannot be compared: ${sanitizeLine(why)}.`,
    { next: 'Give a model, a picture, or an asset as <ns/name/asset>.' },
  );
}
