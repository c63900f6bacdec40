import { getCompileCacheDir } from 'node:module';
import { ProcessExitedError, ProcessPool, WorkerFailure } from '@bindery/concurrency';
import type {
  ComposedScene,
  MadeProp,
  ModelsToCheck,
  ModelVerdict,
  PropToMake,
  Refusal,
  SceneToCompose,
  StoredAsset,
  WrittenModel,
} from '@bindery/formats';
import type { SimReady } from '@bindery/formats/model/sim-ready';
import { type FileSource, toMessageText } from '@bindery/formats/reading/asset-files';
import type { CertifiedModel } from './certify-asset.ts';
import type { AssetFormat } from './convert-asset.ts';
import { type CertifiedForEngines, type Engines, inEngines } from './engines/engines.ts';
import type { DescribedPicture, Measurement, Thumbnail, ThumbnailRequest } from './thumbnail.ts';

export interface ThumbnailPool extends AsyncDisposable {
  /**
   * Like `renderThumbnail`, but in a separate process, after waiting in a queue. An asset that takes too much time or
   * memory, or crashes that process, yields a warning. Throws `RangeError` if too many assets are waiting.
   */
  render(request: PooledRequest): Promise<Thumbnail>;
  /** Like `measureAsset`, in the same processes and with the same limits. */
  measure(request: PooledRequest): Promise<Measurement>;
  /** Like `describeImage`, in the same way. */
  describe(request: PooledRequest): Promise<DescribedPicture>;
  /** Stops the processes; assets that are waiting or being drawn yield a warning. */
  close(): Promise<void>;
}

type PooledRequest = Omit<ThumbnailRequest, 'files'> & { readonly files: FileSource | LocatedFiles };

/** Files on this machine, which the process reads by itself and verifies; one that differs yields a transient warning. */
export interface LocatedFiles {
  /** In bytes, by path. */
  readonly sizes: ReadonlyMap<string, number>;
  locate(path: string): LocatedFile;
}

export interface LocatedFile {
  readonly place: string;
  /** Absent if nobody knows what its bytes should be. */
  readonly sha256?: string | undefined;
}

export function createThumbnailPool(bounds: ProcessLimits): ThumbnailPool {
  const processes = new AssetProcessPool(new URL('./thumbnail-process.ts', import.meta.url), bounds, 'drew');

  function run<Result>(work: RenderTask['work'], request: PooledRequest) {
    const { files, ...asked } = request;
    const value: RenderTask = { ...asked, work, sizes: files.sizes };
    const answer = async (path: string): Promise<Uint8Array | LocatedFile> =>
      'locate' in files
        ? files.locate(path)
        : new Uint8Array(await withReadableError(() => files.read(path)));
    return processes
      .run<Result>({ value, answer })
      .catch((error: unknown) => ({ warning: processes.failureOf(error), transient: true }));
  }

  return {
    render: async (request) => run<Thumbnail>('draw', request),
    measure: async (request) => run<Measurement>('measure', request),
    describe: async (request) => run<DescribedPicture>('describe', request),
    close: () => processes.close(),
    [Symbol.asyncDispose]: () => processes.close(),
  };
}

/** Makes the message of a failed read fit to be shown to people. */
async function withReadableError(read: () => Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    return await read();
  } catch (error) {
    throw new Error(toMessageText(error instanceof Error ? error.message : String(error)));
  }
}

/** An asset to draw, measure or describe, as the pool sends it to a process, which requests the files by path. */
export interface RenderTask extends Omit<ThumbnailRequest, 'files'> {
  readonly work: 'draw' | 'measure' | 'describe';
  readonly sizes: ReadonlyMap<string, number>;
}

export interface ModelCheckPool extends AsyncDisposable {
  /** How many assets are checked at once. */
  readonly concurrency: number;
  /**
   * Like `checkModels`, but in a separate process. Models that take too much time or memory, or crash that process,
   * yield `unfinished`. Throws `RangeError` if too many assets are waiting.
   */
  check(models: ModelsToCheck): Promise<ModelVerdict>;
}

export function createModelCheckPool(bounds: ProcessLimits): ModelCheckPool {
  const processes = new AssetProcessPool(
    new URL('./model-check-process.ts', import.meta.url),
    bounds,
    'checked',
  );
  return {
    concurrency: bounds.workers,
    check: (value) =>
      processes
        .run<ModelVerdict>({ value })
        .catch((error: unknown) => ({ unfinished: processes.failureOf(error) })),
    [Symbol.asyncDispose]: () => processes.close(),
  };
}

export interface AssetToConvert extends StoredAsset {
  readonly as: AssetFormat;
  /** What makes a rigid body of a mesh. */
  readonly simReady?: SimReady | undefined;
  /** The empty folder that the result is written into. */
  readonly into: string;
  /** Whether several files become one archive. */
  readonly isPacked?: boolean;
}

/** What was written, or why nothing was. */
export type ConvertedAsset = WrittenModel | Refusal;

/** As the pool sends it to a process, which requests the places of the files by path. */
export type ConversionTask =
  | AssetToConvert
  | (StoredAsset & { readonly as: 'certificate'; readonly enginesFolder?: string | undefined })
  | (PropToMake & { readonly as: 'prop' })
  | (SceneToCompose & { readonly as: 'scene' });

export interface ConversionPool extends AsyncDisposable {
  /**
   * Like `convertAsset`, but in a separate process, which reads the files where `locate` says that they are, and
   * verifies them. Throws `RangeError` if too many assets are waiting.
   */
  convert(asset: AssetToConvert, locate: (path: string) => Promise<string>): Promise<ConvertedAsset>;
  /** Like `certifyAsset`, in the same way, and then in the engines of the pool. */
  certify(asset: StoredAsset, locate: (path: string) => Promise<string>): Promise<CertifiedModel | Refusal>;
  /** Like `composeScene`, in the same way; `locate` also gets the number of the part. */
  compose(
    scene: SceneToCompose,
    locate: (part: number, path: string) => Promise<string>,
  ): Promise<ComposedScene | Refusal>;
  /** Like `makeProp`, in the same processes and with the same limits. */
  makeProp(prop: PropToMake): Promise<MadeProp | Refusal>;
  /** Stops the processes; assets that are waiting or being worked on are refused. */
  close(): Promise<void>;
}

export function createConversionPool(bounds: ProcessLimits, engines?: Engines): ConversionPool {
  const closing = new AbortController();
  const processes = new AssetProcessPool(
    new URL('./conversion-process.ts', import.meta.url),
    bounds,
    'converted',
  );
  function run<Result>(value: ConversionTask, answer?: (path: string) => Promise<string>) {
    return processes
      .run<Result>({ value, answer })
      .catch((error: unknown): Refusal => ({ refused: processes.failureOf(error), isTransient: true }));
  }
  const close = () => {
    closing.abort();
    return processes.close();
  };
  return {
    convert: (asset, locate) => run<ConvertedAsset>(asset, locate),
    certify: (asset, locate) => {
      const certify = (enginesFolder?: string) =>
        run<CertifiedForEngines | Refusal>({ ...asset, as: 'certificate', enginesFolder }, locate);
      return engines === undefined ? certify() : inEngines(engines, certify, closing.signal);
    },
    compose: (scene, locate) =>
      run<ComposedScene | Refusal>({ ...scene, as: 'scene' }, (asked) => {
        const space = asked.indexOf(' ');
        return locate(Number(asked.slice(0, space)), asked.slice(space + 1));
      }),
    makeProp: (prop) => run<MadeProp | Refusal>({ ...prop, as: 'prop' }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Limits for the processes that work on assets. */
export interface ProcessLimits {
  /** Number of processes, each working on one asset at a time. */
  readonly workers: number;
  /** Time limit for one asset in milliseconds, including reading its files. */
  readonly timeoutMs: number;
  /** Memory limit of one process in MiB; a process that has not done anything yet takes about 150. */
  readonly memoryMiB: number;
  /** Maximum number of waiting assets; without it, only a bug in the caller reaches it. */
  readonly maxWaiting?: number;
}

const MAX_QUEUE = 100_000;

/** The signals that end a process that runs out of memory: its own, or those of V8. */
const OUT_OF_MEMORY: ReadonlySet<NodeJS.Signals | null> = new Set<NodeJS.Signals>([
  'SIGKILL',
  'SIGABRT',
  'SIGTRAP',
]);

/** Processes for work on untrusted assets, and messages for its failures. */
class AssetProcessPool {
  readonly #pool: ProcessPool;
  readonly #limits: ProcessLimits;
  readonly #work: 'drew' | 'checked' | 'converted';

  /** `entry` is the module that the processes run; it must call `killOnMemoryLimitOrOrphaned`. */
  constructor(entry: URL, bounds: ProcessLimits, work: 'drew' | 'checked' | 'converted') {
    const { workers, timeoutMs, memoryMiB, maxWaiting = MAX_QUEUE } = bounds;
    this.#limits = bounds;
    this.#work = work;
    this.#pool = new ProcessPool({
      entry,
      execArgv: [`--max-old-space-size=${memoryMiB}`],
      env: { ...compileCache(), BINDERY_RENDER_MEMORY: String(memoryMiB * 2 ** 20) },
      maxProcesses: workers,
      maxWaiting,
      timeout: timeoutMs,
    });
  }

  run<Result>(task: Parameters<ProcessPool['run']>[0]): Promise<Result> {
    return this.#pool.run<Result>(task);
  }

  /**
   * Returns why a task has no result, as the end of a sentence about its asset. Rethrows errors that are not failures
   * of the processes; throws `RangeError` if too many tasks are waiting.
   */
  failureOf(error: unknown): string {
    const { timeoutMs, memoryMiB } = this.#limits;
    if (error instanceof ProcessExitedError) {
      if (OUT_OF_MEMORY.has(error.signal)) return `took more than ${memoryMiB} MiB of memory`;
      return error.cause
        ? `the process that ${this.#work} it could not be reached`
        : `crashed the process that ${this.#work} it`;
    }
    if (!(error instanceof WorkerFailure)) throw error;
    if (error.reason === 'full') throw new RangeError('too many assets at once');
    return error.reason === 'time' ? `took longer than ${timeoutMs} ms` : 'the pool of processes is closed';
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** Shares this program's compile cache, if it has one, so that a process does not recompile what an earlier one did. */
function compileCache(): { NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
