import { type FileSource, Unrenderable } from '@bindery/render/models';
import { answer, ask } from '../../ask.ts';
import { toError, toFailure } from './messages.ts';

/** Reading took longer than allowed, which says as much about this machine as about the asset. */
export class TooSlow extends Unrenderable {}

/**
 * A worker that reads an asset. It is terminated when a call exceeds its timeout, which restarts with each file that
 * arrives: how long the network takes says nothing about the asset.
 */
export class WorkerClient<Call, Answers extends { [Name in keyof Answers]: unknown }> {
  readonly #worker: Worker;
  readonly #files: FileSource;
  readonly #timeoutSeconds: number;
  readonly #ended = Promise.withResolvers<never>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #calls = 0;

  constructor(worker: Worker, files: FileSource, timeoutSeconds: number) {
    this.#worker = worker;
    this.#files = files;
    this.#timeoutSeconds = timeoutSeconds;
    this.#ended.promise.catch(() => {});
    worker.onmessage = ({ data: path, ports: [port] }: MessageEvent<string>) =>
      port && this.#read(path, port);
    worker.onerror = (event) => this.#end(new Error(event.message || 'the worker failed'));
  }

  async call<Name extends keyof Answers>(call: Call & { readonly do: Name }): Promise<Answers[Name]> {
    this.#calls++;
    this.#watch();
    try {
      return await Promise.race([ask<Answers[Name]>(this.#worker, call, toError), this.#ended.promise]);
    } finally {
      this.#calls--;
      this.#watch();
    }
  }

  close(): void {
    this.#end(new Error('closed'));
  }

  async #read(path: string, port: MessagePort): Promise<void> {
    clearTimeout(this.#timer);
    await answer(port, () => this.#files.read(path), toFailure);
    this.#watch();
  }

  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#calls === 0) return;
    const seconds = this.#timeoutSeconds;
    const late = new TooSlow(`it took longer than ${seconds} seconds to read, and was stopped`);
    this.#timer = setTimeout(() => this.#end(late), seconds * 1000);
  }

  #end(error: Error): void {
    this.#worker.terminate();
    this.#ended.reject(error);
  }
}
