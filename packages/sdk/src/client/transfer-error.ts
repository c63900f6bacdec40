/** The SDK itself ended an exchange, rather than the system or undici. `explainFailure` explains the code. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
  readonly code: TransferErrorCode;

  constructor(code: TransferErrorCode, message: string = code) {
    super(message);
    this.code = code;
  }
}

export type TransferErrorCode =
  | 'CONNECT_TIMEOUT'
  | 'ANSWER_TIMEOUT'
  | 'TRANSFER_TOO_SLOW'
  | 'CLOSED_EARLY'
  | 'MALFORMED_ANSWER'
  | 'PROXY_UNREACHABLE'
  | 'PROXY_REFUSED';
