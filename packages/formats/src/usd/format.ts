import { UnreadableFileError } from '../files/unreadable.ts';
import type { Format } from '../format.ts';
import type { BoundedFile, Survey } from '../survey.ts';
import { surveyUsd as surveyLayers } from './stage/survey.ts';

export const usd = {
  name: 'usd',
  preference: 160,
  family: 'mesh',
  extensions: ['usdz', 'usdc', 'usda', 'usd'],
  mediaTypes: { usda: 'text/plain; charset=utf-8', usdz: 'model/vnd.usdz+zip' },
  spoken: ['usd', 'usda', 'usdc', 'usdz'],
  isMetric: true,
  survey: surveyUsd,
  loadReader: async () => (await import('./read.ts')).reader,
  loadMechanismReader: async () => (await import('./mechanism.ts')).readUsdMechanism,
  loadWriter: async () => (await import('./write.ts')).writer,
} as const satisfies Format;

const USD_MAGIC = /^(?:#usda|PXR-USDC|PK)/;

/** Reads USD as text, crate or archive, by its content and not by its extension. A damaged file is still one of USD. */
function surveyUsd(file: BoundedFile): Survey {
  const isUsd = USD_MAGIC.test(new TextDecoder('latin1').decode(file.head(8)));
  try {
    const { references, hasJoints, title } = surveyLayers(file, file.path);
    const metadata = title === undefined ? undefined : { title };
    return { type: 'usd', certain: true, references, hasJoints: hasJoints || undefined, metadata };
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    return { type: 'usd', certain: isUsd, references: [], warning: error.message };
  }
}

/** Pixels of a side of the picture of a stage. */
export const STAGE_PICTURE_SIDE = 256;

/** Where programs of NVIDIA look for the picture of a stage in the same folder. */
export function stagePicture(stage: string): string {
  return `.thumbs/${STAGE_PICTURE_SIDE}x${STAGE_PICTURE_SIDE}/${stage}.png`;
}
