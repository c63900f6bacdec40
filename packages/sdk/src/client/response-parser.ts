import { type ResponseSink, TransferError } from './transport.ts';

/** Maximum bytes of a head, of the trailers, and of a line between two chunks. */
const MAX_HEAD = 16 * 1024;

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const FIELD_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t\x20-\x7e\x80-\xff]*?)[\t ]*$/;
const LENGTH = /^\d{1,15}$/;
const CHUNK_LINE = /^([0-9A-Fa-f]{1,12})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;

const LF = 10;

type State =
  | 'status'
  | 'field'
  | 'length'
  | 'chunk-size'
  | 'chunk'
  | 'chunk-end'
  | 'trailer'
  | 'close'
  | 'done';

/**
 * Parses one HTTP/1 response to any method but `HEAD`, however its bytes are divided, and passes its body on without
 * copying it. Strict: a response that two parsers could frame differently is malformed.
 */
export class ResponseParser {
  readonly #sink: ResponseSink;
  #state: State = 'status';
  /** The part of an unfinished line that has arrived. */
  #line = '';
  #headBytes = 0;
  #keepAlive = true;
  #status = 0;
  #fields: Record<string, string> = {};
  /** Bytes of the body, or of the chunk, still to come. */
  #left = 0;

  constructor(sink: ResponseSink) {
    this.#sink = sink;
  }

  /** Whether the response is complete. */
  get done(): boolean {
    return this.#state === 'done';
  }

  /** Whether the connection can be used again after a complete response. */
  get keepsAlive(): boolean {
    return this.#keepAlive;
  }

  /** Whether the next bytes belong to the body. */
  get isInBody(): boolean {
    return this.#readsBody;
  }

  /** The sink's memory for the next bytes, if these can only be body. */
  get bufferFor(): Buffer | undefined {
    return this.#state === 'length' ? this.#sink.bufferFor?.(this.#left) : undefined;
  }

  /** Throws `TransferError` (`MALFORMED_ANSWER`) and whatever the sink throws. */
  read(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#state === 'done') throw malformed('the server sent more than one response');
      at += this.#readsBody ? this.#readBody(bytes, at) : this.#readLine(bytes, at);
    }
  }

  /** Called when the server has closed the connection, which ends a response without a length. */
  end(): void {
    if (this.#state === 'close') this.#state = 'done';
  }

  get #readsBody(): boolean {
    return this.#state === 'length' || this.#state === 'chunk' || this.#state === 'close';
  }

  #readBody(bytes: Buffer, at: number): number {
    const taken = this.#state === 'close' ? bytes.length - at : Math.min(this.#left, bytes.length - at);
    this.#left -= taken;
    this.#sink.onBytes(bytes.subarray(at, at + taken));
    if (this.#left === 0 && this.#state === 'length') this.#state = 'done';
    if (this.#left === 0 && this.#state === 'chunk') this.#state = 'chunk-end';
    return taken;
  }

  #readLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(LF, at);
    const taken = (end < 0 ? bytes.length : end + 1) - at;
    this.#headBytes += taken;
    if (this.#headBytes > MAX_HEAD) throw malformed('the head of the response is too long');
    this.#line += bytes.toString('latin1', at, at + taken);
    if (end < 0) return taken;
    const line = this.#line;
    this.#line = '';
    if (!line.endsWith('\r\n')) throw malformed('a line of the response is cut off');
    this.#state = this.#after(line.slice(0, -2));
    return taken;
  }

  /** Returns the state after a line. */
  #after(line: string): State {
    switch (this.#state) {
      case 'status':
        return this.#afterStatus(line);
      case 'field':
        return line === '' ? this.#afterHead() : this.#afterField(line);
      case 'chunk-size':
        return this.#afterChunkSize(line);
      case 'chunk-end':
        if (line === '') return 'chunk-size';
        throw malformed('a chunk of the response is longer than declared');
      default:
        return line === '' ? 'done' : 'trailer';
    }
  }

  #afterStatus(line: string): State {
    const [, minor, status] = STATUS_LINE.exec(line) ?? [];
    if (status === undefined) throw malformed('the response is not HTTP/1.1');
    this.#status = Number(status);
    this.#keepAlive = minor === '1';
    this.#fields = {};
    return 'field';
  }

  #afterField(line: string): State {
    const [, name, value] = FIELD_LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) throw malformed('a header of the response is malformed');
    const key = name.toLowerCase();
    const before = this.#fields[key];
    this.#fields[key] = before === undefined ? value : `${before}, ${value}`;
    return 'field';
  }

  #afterHead(): State {
    this.#headBytes = 0;
    if (this.#status === 101) throw malformed('the server switched to another protocol');
    if (this.#status < 200) return 'status';
    if (/\bclose\b/i.test(this.#fields.connection ?? '')) this.#keepAlive = false;
    const body = this.#framing();
    this.#sink.onHead(this.#status, this.#fields);
    return body;
  }

  #framing(): State {
    const { 'transfer-encoding': coding, 'content-length': length } = this.#fields;
    if (this.#status === 204 || this.#status === 304) return 'done';
    if (coding !== undefined) {
      if (length === undefined && coding.toLowerCase() === 'chunked') return 'chunk-size';
      throw malformed('the response has no length');
    }
    if (length === undefined) {
      this.#keepAlive = false;
      return 'close';
    }
    if (!LENGTH.test(length)) throw malformed('the length of the response is malformed');
    this.#left = Number(length);
    return this.#left === 0 ? 'done' : 'length';
  }

  #afterChunkSize(line: string): State {
    const [, size] = CHUNK_LINE.exec(line) ?? [];
    if (size === undefined) throw malformed('the length of a chunk is malformed');
    this.#headBytes = 0;
    this.#left = Number.parseInt(size, 16);
    return this.#left === 0 ? 'trailer' : 'chunk';
  }
}

function malformed(why: string): TransferError {
  return new TransferError('MALFORMED_ANSWER', why);
}
