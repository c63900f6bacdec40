import { type ChildProcess, fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { shown } from './files.ts';
import type { FromProcess, ToProcess } from './pool-messages.ts';
import type { Thumbnail, ThumbnailRequest } from './thumbnail.ts';

export interface RenderProcessLimits {
  /** Longest time for one asset, in milliseconds, reading its files included. */
  readonly timeoutMs: number;
  /** Most memory of one process, in MiB; one that has drawn nothing yet takes about 150. */
  readonly memoryMiB: number;
}

export interface Job {
  readonly request: ThumbnailRequest;
  finish(thumbnail: Thumbnail): void;
}

/** One process and the asset it draws. After a failure it is not used again. */
export class RenderProcess {
  isAlive = true;
  readonly #child: ChildProcess;
  readonly #limits: RenderProcessLimits;
  readonly #gone = Promise.withResolvers<void>();
  #job: Job | undefined;

  constructor(limits: RenderProcessLimits) {
    this.#limits = limits;
    this.#child = fork(new URL('./pool-process.ts', import.meta.url), {
      execArgv: [`--max-old-space-size=${limits.memoryMiB}`],
      env: {
        ...process.env,
        ...compileCache(),
        BINDERY_RENDER_MEMORY: String(limits.memoryMiB * 2 ** 20),
      },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('message', (message: FromProcess) => this.#hear(message));
    this.#child.on('error', () => void this.stop('the process that drew it could not be reached'));
    this.#child.on('exit', (_code, signal) => {
      this.#gone.resolve();
      void this.stop(this.#failure(signal));
    });
    this.#rest();
  }

  async run(job: Job): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<Thumbnail>();
    this.#job = { ...job, finish: resolve };
    this.#child.ref();
    this.#child.channel?.ref();
    const timeout = setTimeout(
      () => void this.stop(`took longer than ${this.#limits.timeoutMs} ms`),
      this.#limits.timeoutMs,
    );
    const { kind, format, entry, files, limits } = job.request;
    this.#tell({ type: 'render', kind, format, entry, sizes: files.sizes, limits });
    const thumbnail = await promise;
    clearTimeout(timeout);
    this.#job = undefined;
    this.#rest();
    job.finish(thumbnail);
  }

  /** Ends the process; the asset it draws gets the warning. */
  async stop(warning: string): Promise<void> {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.#job?.finish({ warning, transient: true });
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined)
      return;
    this.#child.ref();
    this.#child.kill('SIGKILL');
    await this.#gone.promise;
  }

  /** Lets the program end while this process has nothing to do. */
  #rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  #hear(message: FromProcess): void {
    if (message.type === 'done') this.#job?.finish(message.thumbnail);
    else void this.#read(message.path);
  }

  async #read(path: string): Promise<void> {
    const files = this.#job?.request.files;
    if (files === undefined) return;
    try {
      this.#tell({ type: 'bytes', path, bytes: new Uint8Array(await files.read(path)) });
    } catch (error) {
      const message = shown(error instanceof Error ? error.message : String(error));
      this.#tell({ type: 'unreadable', path, message });
    }
  }

  #tell(message: ToProcess): void {
    if (this.isAlive && this.#child.connected) this.#child.send(message, () => {});
  }

  /** A process ends itself by SIGKILL, or V8 by SIGABRT or SIGTRAP, when memory runs out. */
  #failure(signal: NodeJS.Signals | null): string {
    const isMemory = signal === 'SIGKILL' || signal === 'SIGABRT' || signal === 'SIGTRAP';
    return isMemory
      ? `took more than ${this.#limits.memoryMiB} MiB of memory`
      : 'crashed the process that drew it';
  }
}

/** Has a process compile no code that an earlier one did, where this program keeps compiled code. */
function compileCache(): { NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
