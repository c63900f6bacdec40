import { basename } from 'node:path';
import { DESCRIPTOR_VERSION, readDescriptor } from '@bindery/contract/wire';
import type { DescribedSubject, LocalModel } from '@bindery/sdk/libraries';
import { CommandError } from '../../output/command-error.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { formatCount, sanitizeLine } from '../../output/text.ts';
import { optionalPackage } from '../optional-package.ts';
import { withRenderer } from './thumbnails.ts';

/** What a model or a picture of this machine is compared by. */
export interface DescribedFile {
  described: DescribedSubject;
  /** A sentence about the parts of the model that are not there; null if it is whole. */
  incomplete: string | null;
}

/**
 * Describes a model or a picture of this machine for the service to search by; of what it refers to, nothing outside of
 * `within` is read. Throws `CommandError`.
 */
export async function describeFile(file: string, within?: string): Promise<DescribedFile> {
  const { findLocalModel } = await import('@bindery/sdk/libraries');
  const { missing, ...model } = findLocalModel(file, within);
  if (model.kind === 'image') return { described: await describePicture(file, model), incomplete: null };
  const absent = missing.length === 0 ? null : absentOf(missing);
  const measured = await withRenderer(true, async (renderer) => renderer?.measure(model));
  const descriptor =
    measured !== undefined && 'statistics' in measured ? readDescriptor({ ...measured }) : null;
  if (descriptor !== null)
    return {
      described: { version: DESCRIPTOR_VERSION, model: Buffer.from(descriptor).toString('base64') },
      incomplete: absent && `${sanitizeLine(basename(file))} is compared without parts: ${absent}`,
    };
  const why = measured !== undefined && 'warning' in measured ? measured.warning : 'nothing visible in it';
  throw undescribed(file, [why, absent].filter(Boolean).join('; '));
}

async function describePicture(file: string, { entry, files }: Pick<LocalModel, 'entry' | 'files'>) {
  const { describeImage } = await optionalPackage(
    '@bindery/render',
    'Searching by a picture',
    () => import('@bindery/render'),
  );
  const described = await describeImage(await files.read(entry));
  if ('warning' in described) throw undescribed(file, described.warning);
  return { version: DESCRIPTOR_VERSION, picture: described.descriptor } as const;
}

const MAX_NAMED = 4;

/** `2 files that it names are missing (meshes/hand.stl, meshes/foot.stl)`. */
function absentOf(names: LocalModel['missing']): string {
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
