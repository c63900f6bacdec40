import { UnreadableFileError } from '../files/unreadable.ts';
import type { BoundedFile, Survey } from '../survey.ts';
import { surveyUsd as surveyLayers } from './stage/survey.ts';

const USD_MAGIC = /^(?:#usda|PXR-USDC|PK)/;

/** Reads USD as text, crate or archive, by its content and not by its extension. A damaged file is still one of USD. */
export function surveyUsd(file: BoundedFile): Survey {
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
