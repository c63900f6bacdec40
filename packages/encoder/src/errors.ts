/** Why an encoder returned no vectors, or a model could not be installed or removed. */
export type EncoderFailure =
  /** The model, or the library that runs it, is not on this machine, or the source of a pull does not have it. */
  | 'missing'
  /** The source of the model denies access to this caller, or the model folder is not writable. */
  | 'refused'
  /** The model's files do not match its description. */
  | 'damaged'
  /** Too many calls are waiting. */
  | 'busy'
  /** The time limit was exceeded. */
  | 'time'
  /** A picture cannot be decoded; `index` says which. */
  | 'image'
  /** The model returned something that is not a vector: not finite, zero, or of another dimension. */
  | 'output'
  /** The model could not be run or fetched. */
  | 'failed'
  /** The caller cancelled, or the encoder was closed. */
  | 'closed';

/** Reports why there are no vectors; an encoder never returns wrong ones instead. */
export class EncoderError extends Error {
  override readonly name: string = 'EncoderError';
  readonly failure: EncoderFailure;
  /** Index of the text or picture in the call that caused the error; null if the error concerns all. */
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
