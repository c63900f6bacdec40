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
export { folderSource } from './store/folder-source.ts';
export type { HttpGet, HttpResponse } from './store/http.ts';
export { HUB_REPOSITORIES, type HubRepository } from './store/hub-repositories.ts';
export { type HubOptions, hubSource } from './store/hub-source.ts';
export { type InstalledModel, listModels } from './store/list.ts';
export { type PulledModel, type PullOptions, pullModel } from './store/pull.ts';
export { removeModel } from './store/remove.ts';
export { type ModelSource, SourceInterrupted } from './store/source.ts';
export { urlSource } from './store/url-source.ts';
export { installedVersion } from './version.ts';
