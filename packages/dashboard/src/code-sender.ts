import { messageOf } from './ask.ts';
import type { FromCode, ToCode, ViewerCode } from './viewer-protocol.ts';

/** The location of the files of the frame's code, which browsers cache permanently. */
const ASSETS = '/app/assets/';

/** Sends the frame its own code, which it cannot fetch itself: each script once, and only files that belong to it. */
export class CodeSender {
  /** Transferred to the frame. */
  readonly frameEnd: MessagePort;
  readonly #port: MessagePort;
  readonly #code: ViewerCode;
  readonly #scripts = new Map<string, Promise<void>>();
  readonly #files: ReadonlySet<string>;
  readonly #closed = new AbortController();

  readonly #folder: string;

  /** @param origin of the service, if it is not the page's own */
  constructor(code: ViewerCode, origin = '') {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.frameEnd = port2;
    this.#code = code;
    this.#folder = origin + ASSETS;
    this.#files = new Set(code.files);
    port1.onmessage = ({ data }: MessageEvent<ToCode>) => void this.#answer(data);
  }

  /** Sends the scripts that every asset needs. They are fetched while the frame's document is still loading. */
  async start(): Promise<void> {
    const { entry } = this.#code;
    try {
      await this.#sendScript(entry);
      this.#send({ type: 'start', entry });
    } catch (error) {
      if (!this.#closed.signal.aborted) throw error;
    }
  }

  close(): void {
    this.#closed.abort();
    this.#port.close();
  }

  async #answer({ request, name }: ToCode): Promise<void> {
    try {
      if (Object.hasOwn(this.#code.scripts, name)) {
        await this.#sendScript(name);
        this.#send({ type: 'answer', request });
      } else if (this.#files.has(name)) {
        const bytes = await this.#fetch(name);
        this.#send({ type: 'answer', request, bytes }, [bytes]);
      } else throw new Error(`not a file of the viewer: ${name}`);
    } catch (error) {
      this.#send({ type: 'failed', request, message: messageOf(error) });
    }
  }

  /** Resolves once the script and all its imports have been sent, in any order. */
  async #sendScript(entry: string): Promise<void> {
    await Promise.all([...this.#withImports(entry)].map((name) => this.#sendOnce(name)));
  }

  #withImports(name: string, found: Set<string> = new Set()): Set<string> {
    if (found.has(name)) return found;
    found.add(name);
    for (const imported of this.#code.scripts[name] ?? []) this.#withImports(imported, found);
    return found;
  }

  #sendOnce(name: string): Promise<void> {
    const sent = this.#scripts.get(name);
    if (sent !== undefined) return sent;
    const sending = this.#fetch(name).then((source) => this.#send({ type: 'script', source }, [source]));
    this.#scripts.set(name, sending);
    sending.catch(() => this.#scripts.delete(name));
    return sending;
  }

  async #fetch(name: string): Promise<ArrayBuffer> {
    const response = await fetch(this.#folder + name, { credentials: 'omit', signal: this.#closed.signal });
    if (!response.ok) throw new Error(`a part of the viewer is not there: ${name}`);
    return response.arrayBuffer();
  }

  #send(message: FromCode, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }
}
