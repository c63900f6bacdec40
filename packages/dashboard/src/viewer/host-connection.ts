import type { FromViewer, ToViewer, ViewerShortcut } from '../viewer-protocol.ts';

/** The frame's end of the port: requests files from the dashboard and reports the state to it. */
export class HostConnection {
  readonly #port: MessagePort;
  readonly #pending = new Map<number, PromiseWithResolvers<Uint8Array<ArrayBuffer>>>();
  #requests = 0;

  constructor(port: MessagePort, onMessage: (message: ToViewer) => void) {
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<ToViewer>) => {
      if (data.type === 'file') this.#takePending(data.request)?.resolve(new Uint8Array(data.bytes));
      else if (data.type === 'file-failed') this.#takePending(data.request)?.reject(new Error(data.message));
      else onMessage(data);
    };
  }

  readFile(path: string): Promise<Uint8Array<ArrayBuffer>> {
    const request = this.#requests++;
    const answer = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
    this.#pending.set(request, answer);
    this.send({ type: 'read-file', request, path });
    return answer.promise;
  }

  #takePending(request: number): PromiseWithResolvers<Uint8Array<ArrayBuffer>> | undefined {
    const answer = this.#pending.get(request);
    this.#pending.delete(request);
    return answer;
  }

  send(message: FromViewer, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }
}

/** Reports the shortcuts of the page that are pressed in this frame, whose keys the page does not see. */
export function reportPageShortcuts(report: (shortcut: ViewerShortcut) => void): void {
  addEventListener('keydown', (event) => {
    const shortcut = shortcutOf(event);
    if (shortcut === null) return;
    event.preventDefault();
    report(shortcut);
  });
}

function shortcutOf({ key, ctrlKey, metaKey, target }: KeyboardEvent): ViewerShortcut | null {
  if ((ctrlKey || metaKey) && key.toLowerCase() === 'k') return 'palette';
  return key === '?' && !(target instanceof HTMLInputElement) ? 'keys' : null;
}
