/** Why an encoder gave no vectors. */
export type EncoderFailure =
  /** The model, or the library that runs it, is not on this machine. */
  | 'missing'
  /** Where the model comes from does not give it to this caller, or its folder may not be written. */
  | 'refused'
  /** What lies in the model's folder is not what its description says. */
  | 'damaged'
  /** Too many calls wait already. */
  | 'busy'
  /** It took longer than it may. */
  | 'time'
  /** A picture that cannot be decoded; `index` says which. */
  | 'image'
  /** The model answered something that is no vector: not finite, zero, or of another dimension. */
  | 'output'
  /** The model could not be run. */
  | 'failed'
  /** The caller gave up, or the encoder was closed. */
  | 'closed';

/** An encoder that gives no vectors says why; it never gives a wrong one. */
export class EncoderError extends Error {
  override readonly name: string = 'EncoderError';
  readonly failure: EncoderFailure;
  /** Which of the texts or pictures of the call it is about; null where it is about all. */
  readonly index: number | null;

  constructor(failure: EncoderFailure, message: string, options: { index?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.failure = failure;
    this.index = options.index ?? null;
  }
}

/** The queue is full: try again later, or do without. */
export class EncoderBusy extends EncoderError {
  override readonly name = 'EncoderBusy';

  constructor() {
    super('busy', 'the encoder is too busy');
  }
}
