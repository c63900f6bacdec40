import { type FileSource, Unrenderable } from '@bindery/render/models';
import { type FromWorker, type ToWorker, toError, toFailure } from './messages.ts';

/** Reading took longer than allowed, which says as much about this machine as about the asset. */
export class TooSlow extends Unrenderable {}

/**
 * A worker that reads an asset. It is terminated when a call exceeds its timeout, which restarts with each file that
 * arrives: how long the network takes says nothing about the asset.
 */
export class WorkerClient<Call, Answers extends { [Name in keyof Answers]: unknown }, Event = never> {
  readonly #worker: Worker;
  readonly #files: FileSource;
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #timeoutSeconds: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #count = 0;
  onEvent: ((event: Event) => void) | undefined;

  constructor(worker: Worker, files: FileSource, timeoutSeconds: number) {
    this.#worker = worker;
    this.#files = files;
    this.#timeoutSeconds = timeoutSeconds;
    worker.onmessage = ({ data }: MessageEvent<FromWorker<unknown, Event>>) => this.#handleMessage(data);
    worker.onerror = (event) => this.#end(new Error(event.message || 'the worker failed'));
  }

  call<Name extends keyof Answers>(value: Call & { readonly do: Name }): Promise<Answers[Name]> {
    const call = this.#count++;
    const answer = Promise.withResolvers<unknown>();
    this.#calls.set(call, answer);
    this.#post({ type: 'call', call, value });
    this.#watch();
    return answer.promise as Promise<Answers[Name]>;
  }

  close(): void {
    this.#end(new Error('closed'));
  }

  #handleMessage(message: FromWorker<unknown, Event>): void {
    switch (message.type) {
      case 'read':
        void this.#read(message.request, message.path);
        return;
      case 'event':
        this.onEvent?.(message.value);
        return;
      case 'answer':
        this.#calls.get(message.call)?.resolve(message.value);
        break;
      case 'failed':
        this.#calls.get(message.call)?.reject(toError(message.failure));
        break;
    }
    this.#calls.delete(message.call);
    this.#watch();
  }

  async #read(request: number, path: string): Promise<void> {
    clearTimeout(this.#timer);
    try {
      const bytes = (await this.#files.read(path)) as Uint8Array<ArrayBuffer>;
      this.#post({ type: 'file', request, bytes }, [bytes.buffer]);
    } catch (error) {
      this.#post({ type: 'file-failed', request, failure: toFailure(error) });
    }
    this.#watch();
  }

  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#calls.size === 0) return;
    const seconds = this.#timeoutSeconds;
    const late = new TooSlow(`it took longer than ${seconds} seconds to read, and was stopped`);
    this.#timer = setTimeout(() => this.#end(late), seconds * 1000);
  }

  #end(error: Error): void {
    clearTimeout(this.#timer);
    this.#worker.terminate();
    for (const { reject } of this.#calls.values()) reject(error);
    this.#calls.clear();
  }

  #post(message: ToWorker<Call>, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }
}
