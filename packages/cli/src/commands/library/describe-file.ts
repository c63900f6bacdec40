import { basename } from 'node:path';
import { DESCRIPTOR_VERSION, readDescriptor } from '@bindery/contract/wire';
import type { ThumbnailRequest } from '@bindery/render';
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

/** What is meant of a model or of a picture. */
export type Extract = Pick<ThumbnailRequest, 'part' | 'crop'>;

/**
 * Describes a model or a picture of this machine, or what is meant of it, for the service to search by; of what it
 * refers to, nothing outside of `within` is read. Throws `CommandError`.
 */
export async function describeFile(
  file: string,
  { part, crop, within, signal }: Extract & { within?: string; signal?: AbortSignal | undefined } = {},
): Promise<DescribedFile> {
  const { findLocalModel } = await import('@bindery/sdk/libraries');
  const { missing, ...model } = await findLocalModel(file, within, { signal });
  if (model.kind === 'image') {
    if (part !== undefined) throw undescribed(file, 'a picture has no parts');
    return { described: await describePicture(file, { ...model, crop }), missing };
  }
  if (crop !== undefined) throw undescribed(file, 'a model cannot be cropped');
  await using pool = await openThumbnailPool('Comparing a model');
  const measured = await pool.measure({ ...model, part });
  const descriptor = 'statistics' in measured ? readDescriptor({ ...measured }) : null;
  if (descriptor !== null)
    return {
      described: { version: DESCRIPTOR_VERSION, model: Buffer.from(descriptor).toString('base64') },
      missing,
    };
  const why = 'warning' in measured ? measured.warning : 'nothing visible in it';
  const next = part === undefined ? undefined : 'Give a part of it that is seen, or leave out --part.';
  throw undescribed(file, missing.length === 0 ? why : `${why}; ${countMissing(missing)}`, next);
}

async function describePicture(file: string, picture: Omit<LocalModel, 'missing'> & Extract) {
  await using pool = await openThumbnailPool('Searching by a picture');
  const described = await pool.describe(picture);
  if ('warning' in described)
    throw undescribed(file, described.warning, 'Say where the thing is with --crop, or give a model.');
  return { version: DESCRIPTOR_VERSION, picture: described.descriptor } as const;
}

const MAX_NAMED = 4;

/** `2 files that it names are missing (meshes/hand.stl, meshes/foot.stl)`. */
export function countMissing(names: DescribedFile['missing']): string {
  const shown = names.length > MAX_NAMED ? [...names.slice(0, MAX_NAMED), '…'] : names;
  const verb = names.length === 1 ? 'is' : 'are';
  return `${formatCount(names.length, 'file')} that it names ${verb} missing (${sanitizeLine(shown.join(', '))})`;
}

function undescribed(
  file: string,
  why: string,
  next = 'Give a model, a picture, or an asset as <ns/name/asset>.',
): CommandError {
  return new CommandError(
    EXIT.usage,
    'cannot_compare',
    `${sanitizeLine(basename(file))} cannot be compared: ${sanitizeLine(why)}.`,
    { next },
  );
}
