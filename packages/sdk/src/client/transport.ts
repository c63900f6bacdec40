import type { Readable } from 'node:stream';

/** One HTTP exchange. */
export interface TransportRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: Uint8Array | string | Readable;
  signal?: AbortSignal;
  /** Whether it may be sent again, as after a stale connection. Such a request must also be answered sooner. */
  repeatable?: boolean;
}

/** The head of a response and its body, which must be read or `dump`ed. Header names are lower case. */
export interface TransportResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Readable & { dump(): Promise<void> };
}

/** Receives a response as it arrives, without a stream in between. An error thrown by the sink ends the exchange. */
export interface ResponseSink {
  onHead(status: number, headers: Readonly<Record<string, string>>): void;
  onBytes(bytes: Buffer): void;
}

/** Sends requests. Rejects with the system's own error, which the client turns into a `NetworkError`. */
export interface Transport {
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Sends a request and resolves when the sink has received the whole response. Cheaper than `send` for many files. */
  sendTo(request: TransportRequest, sink: ResponseSink): Promise<void>;
  /** Closes every connection, including those of running exchanges. */
  close(): Promise<void>;
}

/** The SDK itself ended an exchange, rather than the system or undici. `explainFailure` explains the code. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
  readonly code: TransferErrorCode;

  constructor(code: TransferErrorCode, message: string = code) {
    super(message);
    this.code = code;
  }
}

export type TransferErrorCode = 'TRANSFER_TOO_SLOW' | 'PROXY_UNREACHABLE' | 'PROXY_REFUSED';
