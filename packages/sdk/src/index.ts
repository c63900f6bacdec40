export type { Caller, CallOptions, CallRequest } from './client/call.ts';
export {
  type Client,
  type ClientOptions,
  createClient,
  type RawResponse,
  type StoreRequest,
} from './client/client.ts';
export { ApiError, isFromElsewhere, NetworkError, UnexpectedResponseError } from './client/errors.ts';
export { openTransport } from './client/open-transport.ts';
export { explainFailure } from './client/responses.ts';
export { DEFAULT_RETRY, NO_RETRY, type RetryPolicy, retryable, withRetry } from './client/retry.ts';
export { parseServerAddress } from './client/server-urls.ts';
export type { ResponseSink, Transport, TransportRequest, TransportResponse } from './client/transport.ts';
export {
  type Config,
  chooseAuthServer,
  chooseServer,
  configFolder,
  configPath,
  DEFAULT_SERVER,
  isSameServer,
  type ReadConfig,
  readConfig,
  type ServerChoice,
  updateConfig,
} from './credentials/config.ts';
export {
  awaitApproval,
  exchangeAccessToken,
  LoginRefused,
  newDeviceSecret,
  type PendingLogin,
  renewToken,
  revokeToken,
  startLogin,
} from './credentials/device-login.ts';
export {
  type FoundToken,
  findLogin,
  findToken,
  isInLastThird,
  readClaims,
  type TokenClaims,
} from './credentials/find-token.ts';
export {
  clearStoredToken,
  readStoredToken,
  type StorageOptions,
  type StoredToken,
  storeToken,
} from './credentials/stored-login.ts';
export { accountOfServer } from './credentials/token-store.ts';
export {
  AssetNotFoundError,
  ConflictError,
  CurationError,
  type CurationProblem,
  DiskFullError,
  type FileProblem,
  IntegrityError,
  MirrorError,
  NotSignedInError,
  ProjectFileError,
  PushRefusedError,
  SettingError,
  TreeError,
} from './failures.ts';
export { globProblem } from './globs/glob.ts';
export {
  type AssetAddress,
  formatLibraryAddress,
  type LibraryAddress,
  libraryParams,
  parseAssetAddress,
  parseLibraryAddress,
  readQuery,
} from './library/library-address.ts';
export type { Mirror, MirrorOptions } from './mirror/mirror.ts';
export { parseMirrorLocation } from './mirror/mirror.ts';
export type { ContentId } from './mirror/objects.ts';
export type { Identity } from './picker/picker.ts';
export { type FetchPage, type Page, Picker, type PickerState } from './picker/picker.ts';
export {
  type BindrChoice,
  type BindrQuery,
  type ClientFor,
  candidateProjects,
  createBindrPicker,
  createBindrTreePicker,
  createProjectPicker,
  type ProjectQuery,
} from './picker/sources.ts';
