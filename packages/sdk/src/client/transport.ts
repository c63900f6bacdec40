import type { Readable } from 'node:stream';

/** One HTTP exchange. */
export interface TransportRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: Uint8Array | string | Readable;
  signal?: AbortSignal;
  /** Whether it may be sent again, as over a connection that turned out to be closed. It is answered sooner, too. */
  repeatable?: boolean;
}

/** The head of an answer and its body, which must be read or `dump`ed. Header names are lower case. */
export interface TransportResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Readable & { dump(): Promise<void> };
}

/** Takes an answer as it arrives, without a stream between. What it throws ends the exchange. */
export interface AnswerSink {
  onHead(status: number, headers: Readonly<Record<string, string>>): void;
  /** The memory of `bytes` is filled anew after the call, unless it is the sink's own. */
  onBytes(bytes: Buffer): void;
  /**
   * Where the next bytes of the body may be read to, at most `most` of them, which spares copying them; `onBytes` hears of
   * those that came. Until the exchange ends nobody else may use this memory.
   */
  memory?(most: number): Buffer | undefined;
}

/** Sends requests. Rejects with the system's own error; naming it is the client's work. */
export interface Transport {
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Sends a request and resolves when the sink has got the whole answer. Cheaper than `send` where files are many. */
  deliver(request: TransportRequest, sink: AnswerSink): Promise<void>;
  /** Closes every connection, those of running exchanges too. */
  close(): Promise<void>;
}
