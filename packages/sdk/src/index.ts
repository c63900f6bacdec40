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
  configPath,
  type ReadConfig,
  readConfig,
  updateConfig,
} from './credentials/config-file.ts';
export { configFolder } from './credentials/config-folder.ts';
export { type FoundToken, findLogin, findToken } from './credentials/find-token.ts';
export { isInLastThird, readClaims, type TokenClaims } from './credentials/jwt-claims.ts';
export {
  chooseAuthServer,
  chooseServer,
  DEFAULT_SERVER,
  isSameServer,
  type ServerChoice,
} from './credentials/servers.ts';
export {
  clearStoredToken,
  readStoredToken,
  type StorageOptions,
  type StoredToken,
  storeToken,
} from './credentials/stored-login.ts';
export { accountOfServer } from './credentials/token-store.ts';
export { CurationError, type CurationProblem } from './curation/curation-error.ts';
export {
  AssetNotFoundError,
  ConflictError,
  DiskFullError,
  IntegrityError,
  NotSignedInError,
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
export {
  awaitApproval,
  exchangeAccessToken,
  LoginRefused,
  newDeviceSecret,
  type PendingLogin,
  startLogin,
} from './login/device-login.ts';
export { renewToken, revokeToken } from './login/session.ts';
export type { Mirror, MirrorOptions } from './mirror/mirror.ts';
export { MirrorError } from './mirror/mirror-error.ts';
export { parseMirrorLocation } from './mirror/mirror-location.ts';
export type { ContentId } from './mirror/verify-content.ts';
export type { Identity } from './picker/page-cache.ts';
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
export { type FileProblem, ProjectFileError } from './project-assets/project-file-error.ts';
