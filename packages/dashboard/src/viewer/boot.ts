import { type FromCode, type ToCode, VIEWER_PORT, VIEWER_READY } from '../viewer-protocol.ts';

/**
 * The only script in the frame's document. It receives the app's two ports, runs the scripts that arrive on the second
 * one, and starts the viewer with the first.
 */

// No browser knows the directive that would forbid WebRTC (`webrtc 'block'`), and Chromium complains about it.
for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) Reflect.deleteProperty(globalThis, name);

interface Require {
  (name: string): object;
  /** Fetches a script with all its imports. */
  load(name: string): Promise<object>;
}

/** A script as `vite/viewer-document.ts` wraps it. */
type Factory = (require: Require, exports: object) => void;

const factories = new Map<string, Factory>();
const modules = new Map<string, object>();

function requireScript(name: string): object {
  const file = name.replace('./', '');
  const known = modules.get(file);
  if (known !== undefined) return known;
  const factory = factories.get(file);
  if (factory === undefined) throw new Error(`the script ${file} has not come`);
  const exports = {};
  modules.set(file, exports);
  factory(require, exports);
  return exports;
}

const require: Require = Object.assign(requireScript, {
  load: async (name: string) => {
    await read(name.replace('./', ''));
    return requireScript(name);
  },
});

let code: MessagePort | undefined;
let requests = 0;
const pending = new Map<number, PromiseWithResolvers<ArrayBuffer | undefined>>();

/** Returns the bytes of a file of the frame's code; for a script, undefined once it has run. */
function read(name: string): Promise<ArrayBuffer | undefined> {
  const request = requests++;
  const answer = Promise.withResolvers<ArrayBuffer | undefined>();
  pending.set(request, answer);
  code?.postMessage({ request, name } satisfies ToCode);
  return answer.promise;
}

function handleMessage(message: FromCode, port: MessagePort): void {
  switch (message.type) {
    case 'script':
      run(message.source);
      break;
    case 'start': {
      const { start } = requireScript(message.entry) as typeof import('./main.ts');
      start(port, read);
      break;
    }
    case 'answer':
      takePending(message.request)?.resolve(message.bytes);
      break;
    case 'failed':
      takePending(message.request)?.reject(new Error(message.message));
  }
}

function takePending(request: number): PromiseWithResolvers<ArrayBuffer | undefined> | undefined {
  const answer = pending.get(request);
  pending.delete(request);
  return answer;
}

/** The document's content security policy allows a script only if the build recorded its hash. */
function run(source: ArrayBuffer): void {
  const script = document.createElement('script');
  script.textContent = new TextDecoder().decode(source);
  document.head.append(script);
  script.remove();
}

Object.assign(globalThis, {
  define: (name: string, factory: Factory) => factories.set(name, factory),
});

addEventListener('message', ({ data, source, ports: [port, codePort] }) => {
  if (data !== VIEWER_PORT || source !== parent || port === undefined || codePort === undefined) return;
  code = codePort;
  codePort.onmessage = ({ data }: MessageEvent<FromCode>) => handleMessage(data, port);
});
// The surrounding page checks who sent this; the page's origin is not known here.
parent.postMessage(VIEWER_READY, '*');
