export { DESCRIPTION_FILE } from './description.ts';
export { createEncoder, type EmbedOptions, type Encoder, type EncoderOptions } from './encoder.ts';
export { EncoderBusy, EncoderError, type EncoderFailure } from './errors.ts';
export { INCLUDED_MODEL } from './included/included-model.ts';
export {
  DEFAULT_MODEL_NAME,
  folderOfModel,
  MODEL_NAMES,
  modelFolder,
  modelId,
  shortName,
} from './models.ts';
export { RECIPES } from './recipes.ts';
export { folderSource } from './store/folder-source.ts';
export type { HttpGet, HttpResponse } from './store/http.ts';
export { urlSource } from './store/http.ts';
export { type HubOptions, hubSource } from './store/hub-source.ts';
export { type InstalledModel, listModels, removeModel } from './store/model-folder.ts';
export { type PulledModel, type PullOptions, pullModel } from './store/pull.ts';
export { type ModelSource, SourceInterrupted } from './store/source.ts';
export { installedModel, type ModelFacts } from './version.ts';
