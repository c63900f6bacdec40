export { DESCRIPTION_FILE } from './description.ts';
export { createEncoder, type EmbedOptions, type Encoder, type EncoderOptions } from './encoder.ts';
export { EncoderBusy, EncoderError, type EncoderFailure } from './errors.ts';
export { DEFAULT_MODEL_NAME, folderOfModel, MODEL_NAMES, modelFolder, modelId } from './models.ts';
