export { parseServerAddress } from './client/address.ts';
export {
  type CallOptions,
  type CallRequest,
  type Client,
  type ClientOptions,
  createClient,
  type OpenRequest,
  type RawAnswer,
} from './client/client.ts';
export { ApiError, NetworkError, UnexpectedAnswerError } from './client/errors.ts';
export { DEFAULT_RETRY, type RetryPolicy, retryable, withRetry } from './client/retry.ts';
export type { Transport, TransportRequest, TransportResponse } from './client/transport.ts';
export { openTransport } from './client/undici-transport.ts';
