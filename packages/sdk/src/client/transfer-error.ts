/** Why an exchange ended that neither the system nor the HTTP library ended; `explainFailure` has a sentence for each code. */
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
  | 'MALFORMED_ANSWER';
