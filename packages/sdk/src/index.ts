export { LENGTH_UNITS, MATERIALS, type SimReady, simReadyProblem } from '@bindery/formats/model/sim-ready';
export { Bindery, type BinderyOptions } from './bindery.ts';
export {
  type Client,
  type ClientOptions,
  createClient,
  type RawResponse,
  type StoreRequest,
} from './client/client.ts';
export { ApiError, isFromElsewhere, NetworkError } from './client/errors.ts';
export { openTransport } from './client/open-transport.ts';
export { explainFailure } from './client/responses.ts';
export { NO_RETRY, type RetryPolicy } from './client/retry.ts';
export type { ResponseSink, Transport, TransportRequest } from './client/transport.ts';
export {
  type Config,
  chooseAuthServer,
  chooseServer,
  configFolder,
  DEFAULT_SERVER,
  isSameServer,
  readConfig,
  updateConfig,
} from './credentials/config.ts';
export {
  awaitApproval,
  exchangeAccessToken,
  LoginRefusedError,
  newDeviceSecret,
  type PendingLogin,
  renewToken,
  revokeToken,
  startLogin,
} from './credentials/device-login.ts';
export { type FoundToken, findLogin, findToken, readClaims } from './credentials/find-token.ts';
export {
  clearStoredToken,
  readStoredToken,
  type StorageOptions,
  storeToken,
} from './credentials/stored-login.ts';
export { accountOfServer } from './credentials/token-store.ts';
export { usableToken } from './credentials/usable-token.ts';
export { BinderyError, IntegrityError, RevisionNotFoundError } from './failures.ts';
export { globProblem } from './globs/glob.ts';
export {
  type AssetAddress,
  formatLibraryAddress,
  formatNumberedAddress,
  type LibraryAddress,
  libraryParams,
  type NumberedAddress,
  parseAssetAddress,
  parseLibraryAddress,
  parseNumberedAddress,
  readQuery,
} from './library/library-address.ts';
export type { Mirror } from './mirror/mirror.ts';
export { parseMirrorLocation } from './mirror/mirror.ts';
