import type { AssetStatistics } from '@bindery/contract/wire';
import { answer, messageOf } from './ask.ts';
import { CodeSender } from './code-sender.ts';
import {
  type CameraPlace,
  type Description,
  type FromViewer,
  type Theme,
  type ToViewer,
  VIEWER_PORT,
  VIEWER_READY,
  type ViewerAsset,
  type ViewerCode,
  type ViewerShortcut,
  type ViewerState,
} from './viewer-protocol.ts';

export interface ViewerOptions {
  readonly theme: Theme;
  /** The files of the frame's code, as recorded by its build. */
  readonly code: ViewerCode;
  /** The origin of the service that has the code, if it is not the page's own. */
  readonly codeOrigin?: string;
  /** The frame's document, if it is not to be loaded from the service. */
  readonly document?: string;
  /** Opens the asset with the extended limits on its size. */
  readonly loadAnyway?: boolean;
  /** The view to open, as passed to `onView`; otherwise the one that fits the asset. */
  readonly view?: string | undefined;
  /** Folds the controls at first. */
  readonly isFolded?: boolean;
  /** Turns the model and plays its animation, without controls. */
  readonly isPresented?: boolean;
  readonly onState?: (state: ViewerState) => void;
  /** Receives a picture of the view for the page to save: the frame cannot. */
  readonly onPicture?: (picture: Blob) => void;
  /** Receives the view for a link, when the user asks for one: text for a URL. */
  readonly onView?: (view: string) => void;
  /** Receives where the camera is: once the model is shown, and whenever the user has moved it. */
  readonly onCamera?: (camera: CameraPlace) => void;
  /** Called when the user wants the frame to fill the screen, or no longer to. */
  readonly onFullScreen?: (isOn: boolean) => void;
  /** Draws the asset's thumbnail, a WebP file, and measures it, instead of showing the asset. */
  readonly onThumbnail?: (webp: Uint8Array<ArrayBuffer>, statistics: AssetStatistics) => void;
  /** Measures the asset, or describes a picture, instead of showing it. */
  readonly onDescribed?: (description: Description) => void;
  /** Called when the viewer cannot show the asset and the user asks for its files. */
  readonly onShowFiles?: () => void;
  /** Called when a shortcut of the page is pressed in the frame. */
  readonly onShortcut?: (shortcut: ViewerShortcut) => void;
}

export interface OpenedViewer {
  setTheme(theme: Theme): void;
  /** Shows another view of the same asset. */
  showView(view: string): void;
  /** Looks from where another viewer does, as passed to its `onCamera`. */
  placeCamera(camera: CameraPlace): void;
  /** Tells the frame whether it fills the screen. */
  setFullScreen(isOn: boolean): void;
  /** The picture is passed to `onPicture`. */
  takePicture(): void;
  /**
   * Closes the connection. Remove the frame as well: each frame shows one asset only. Resolves when the frame's graphics
   * are idle; a page that removes it earlier waits for what it is drawing.
   */
  close(): Promise<void>;
}

/**
 * Shows an asset in `frame`, an empty iframe of the page. Call it once the frame is in the document; it sets `sandbox`
 * and `src` or `srcdoc` itself. For another asset or entry point, `close()` and call it again with the same or another frame.
 *
 * `readFile` returns the bytes of one of `asset.files`, checked against the manifest; it is called only for those. The
 * buffer is transferred, so the page can no longer use it. If it rejects, the viewer shows the error message.
 *
 *     const viewer = openViewer(iframe, { kind, entry, files }, readFile, { theme: 'dark', onState: setState });
 *     return () => viewer.close();
 */
export function openViewer(
  frame: HTMLIFrameElement,
  asset: ViewerAsset,
  readFile: (path: string) => Promise<ArrayBuffer>,
  options: ViewerOptions,
): OpenedViewer {
  const { port1: port, port2: theirs } = new MessageChannel();
  const code = new CodeSender(options.code, options.codeOrigin);
  const paths = new Set(asset.files.map(({ path }) => path));
  const closed = Promise.withResolvers<void>();
  let isOpen = false;
  const send = (message: ToViewer) => port.postMessage(message);

  port.onmessage = ({ data, ports: [reply] }: MessageEvent<FromViewer>) => {
    switch (data.type) {
      case 'read-file':
        return reply && void answer(reply, () => read(data.path));
      case 'state':
        return options.onState?.(data.state);
      case 'picture':
        return options.onPicture?.(new Blob([data.png], { type: 'image/png' }));
      case 'closed':
        return closed.resolve();
      case 'view':
        return options.onView?.(data.view);
      case 'camera':
        return options.onCamera?.(data.camera);
      case 'full-screen':
        return options.onFullScreen?.(data.isOn);
      case 'thumbnail':
        return options.onThumbnail?.(new Uint8Array(data.webp), data.statistics);
      case 'described':
        return options.onDescribed?.(data.description);
      case 'show-files':
        return options.onShowFiles?.();
      case 'shortcut':
        return options.onShortcut?.(data.shortcut);
    }
  };

  async function read(path: string): Promise<ArrayBuffer> {
    if (!paths.has(path)) throw new Error(`not a file of this asset: ${path}`);
    return readFile(path);
  }

  const greet = ({ source, data }: MessageEvent) => {
    if (source !== frame.contentWindow || data !== VIEWER_READY) return;
    removeEventListener('message', greet);
    isOpen = true;
    // An opaque origin cannot be named as the target; the check above ensures that the message came from the frame.
    frame.contentWindow?.postMessage(VIEWER_PORT, '*', [theirs, code.frameEnd]);
    const { theme, loadAnyway = false, view = null } = options;
    const opened = { ...asset, files: [...asset.files] };
    const offers = {
      fullScreen: options.onFullScreen !== undefined,
      links: options.onView !== undefined,
      pictures: options.onPicture !== undefined,
      camera: options.onCamera !== undefined,
      controls: options.isFolded !== true,
      turntable: options.isPresented === true,
    };
    if (options.onThumbnail) send({ type: 'draw-thumbnail', asset: opened });
    else if (options.onDescribed) send({ type: 'describe', asset: opened });
    else send({ type: 'open', asset: opened, theme, loadAnyway, view, offers });
  };
  addEventListener('message', greet);
  code.start().catch((error: unknown) => {
    options.onState?.({ status: 'refused', reason: messageOf(error), canLoadAnyway: false });
  });
  frame.setAttribute('sandbox', 'allow-scripts');
  if (options.document === undefined) frame.src = '/app/viewer.html';
  else frame.srcdoc = options.document;

  return {
    setTheme: (theme) => send({ type: 'theme', theme }),
    showView: (view) => send({ type: 'view', view }),
    placeCamera: (camera) => send({ type: 'camera', camera }),
    setFullScreen: (isOn) => send({ type: 'full-screen', isOn }),
    takePicture: () => send({ type: 'take-picture' }),
    close: async () => {
      removeEventListener('message', greet);
      code.close();
      send({ type: 'close' });
      if (isOpen) await Promise.race([closed.promise, wait(MAX_CLOSING)]);
      port.close();
    },
  };
}

/** The longest that a frame may draw after it was asked to stop, in milliseconds. */
const MAX_CLOSING = 60_000;

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
