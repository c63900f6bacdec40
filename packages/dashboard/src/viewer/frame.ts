import {
  toMessageText as inMessage,
  type ModelParameter,
  TooLarge,
  Unrenderable,
} from '@bindery/render/models';
import { ask, messageOf } from '../ask.ts';
import { element } from '../element.ts';
import { formatBytes } from '../format-quantities.ts';
import type {
  CameraPlace,
  FromViewer,
  Theme,
  ToViewer,
  ViewerAsset,
  ViewerOffers,
  ViewerShortcut,
} from '../viewer-protocol.ts';
import type { ReadCode } from './code.ts';
import { ViewerFiles } from './files.ts';
import { EXTENDED_LIMITS, NORMAL_LIMITS } from './limits.ts';
import { messages } from './messages.ts';
import { plainReason, refusalPanel } from './panel/refusal.ts';
import type { Stage } from './stage/stage.ts';
import { decodeView, encodeView, Views } from './view.ts';
import type { ViewerContent } from './viewer.ts';
import { viewers } from './viewers/index.ts';
import { viewerFor } from './viewers/select-viewer.ts';
import { TooSlow } from './workers/client.ts';

/** What the app asks for, and what was chosen of a robot in macros since. */
type Opening = Extract<ToViewer, { type: 'open' }> & {
  readonly parameters?: readonly ModelParameter[];
};

/** How many joints and bodies of a model the page is told. */
const MAX_TOLD = 200;

/** The document of the viewer: opens one asset and reports its state. */
export class Frame {
  /** To the dashboard, which has the files and is told the state. */
  readonly #port: MessagePort;
  readonly #readCode: ReadCode;
  readonly #view = element('div', { class: 'view' });
  readonly #page = element('main', { 'aria-label': messages.viewer }, this.#view);
  readonly #status = element('div', { class: 'status', role: 'status' }, messages.loading);
  #stage: Promise<Stage> | undefined;
  #shown: ViewerContent | undefined;
  #refined: Promise<void> | undefined;
  #views: Views | undefined;
  #isShowingView = false;
  #reopenings = 0;
  #onFullScreen: (isOn: boolean) => void = () => {};

  constructor(port: MessagePort, readCode: ReadCode) {
    this.#readCode = readCode;
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<ToViewer>) => this.#handleMessage(data);
    document.body.replaceChildren(this.#page);
    // The page does not see keys that are pressed here.
    addEventListener('keydown', (event) => {
      const shortcut = shortcutOf(event);
      if (shortcut === null) return;
      event.preventDefault();
      this.#send({ type: 'shortcut', shortcut });
    });
  }

  #send(message: FromViewer, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  async #readFile(path: string): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(
      await ask<ArrayBuffer>(this.#port, { type: 'read-file', path } satisfies FromViewer),
    );
  }

  #handleMessage(message: ToViewer): unknown {
    switch (message.type) {
      case 'open':
        this.#setTheme(message.theme);
        return this.#open(message);
      case 'theme':
        return this.#setTheme(message.theme);
      case 'view':
        return this.#showView(message.view);
      case 'camera':
        return this.#stage?.then((stage) => stage.followCamera(scaled(message.camera, 1 / this.#metres)));
      case 'full-screen':
        return this.#onFullScreen(message.isOn);
      case 'close':
        return this.#stop();
      case 'take-picture':
        return this.#savePicture();
      case 'draw-thumbnail':
        return this.#work('draw', message.asset);
      case 'describe':
        return this.#work('describe', message.asset);
    }
  }

  #setTheme(theme: Theme): void {
    document.documentElement.dataset.theme = theme;
  }

  async #open(opening: Opening): Promise<void> {
    const reopenings = this.#reopenings;
    this.#view.replaceChildren(this.#status);
    this.#page.replaceChildren(this.#view);
    this.#send({ type: 'state', state: { status: 'loading', bytesRead: 0 } });
    try {
      const shown = await this.#show(opening);
      this.#shown = shown;
      const stage = await this.#stage;
      if (stage !== undefined) this.#views = new Views(shown, stage);
      if (opening.view !== null) await this.#showView(opening.view);
      // The view is one of other parameters.
      if (reopenings !== this.#reopenings) return;
      const drawn = stage?.whenDrawn();
      if (stage !== undefined && opening.offers.turntable) {
        stage.turn();
        if (shown.controls?.playback?.timeline) shown.controls.playback.play(true);
      } else if (stage !== undefined) await this.#addPanels(shown, stage, opening.offers);
      if (shown.omitted.length > 0) await this.#addOmitted(shown.omitted);
      this.#status.remove();
      await drawn;
      this.#reportShown(shown);
      if (stage !== undefined && opening.offers.camera) {
        stage.onCamera = () =>
          this.#send({ type: 'camera', camera: scaled(stage.readCamera(), this.#metres) });
        stage.onCamera();
      }
      for (const choice of shown.controls?.choices ?? []) choice.onChange(() => this.#reportShown(shown));
      this.#refined = shown.refine?.();
    } catch (error) {
      await this.#refuse(error, opening);
    }
  }

  #reportShown({ statistics, omitted, controls }: ViewerContent): void {
    const limits = controls?.joints?.list.slice(0, MAX_TOLD);
    const masses = controls?.bodies?.list.flatMap(({ name, mass = 0 }) => (mass > 0 ? { name, mass } : []));
    this.#send({
      type: 'state',
      state: {
        status: 'shown',
        statistics: {
          ...statistics,
          ...(limits && { limits: limits.map(({ name, unit, min, max }) => ({ name, unit, min, max })) }),
          ...(masses && { masses: masses.slice(0, MAX_TOLD) }),
        },
        omitted,
      },
    });
  }

  /** In a unit of the stage. */
  get #metres(): number {
    return this.#shown?.metres ?? 1;
  }

  async #showView(text: string): Promise<void> {
    const view = decodeView(text);
    if (view === null) return;
    this.#isShowingView = true;
    const shown = this.#views?.show(view);
    this.#isShowingView = false;
    await shown;
  }

  /** Opens an asset anew with what was chosen: by a link to a view, which then also says how to look at it, or by hand. */
  async #reopen(opening: Opening, parameters: readonly ModelParameter[]): Promise<void> {
    this.#reopenings++;
    const view = this.#isShowingView ? opening.view : null;
    await this.#close();
    await this.#open({ ...opening, parameters, view });
  }

  async #show(opening: Opening): Promise<ViewerContent> {
    const {
      asset: { kind, entry, files },
      loadAnyway,
      parameters,
    } = opening;
    const name = viewerFor(kind, entry);
    if (name === undefined) throw new Unrenderable(messages.noViewer(inMessage(entry)));
    const limits = loadAnyway ? EXTENDED_LIMITS : NORMAL_LIMITS;
    const source = new ViewerFiles(
      files,
      (path) => this.#readFile(path),
      (bytesRead) => this.#progress(bytesRead),
    );
    const { viewer } = await viewers[name]();
    return viewer.open({
      kind,
      entry,
      source,
      files: source.withLimits(limits),
      limits,
      parameters,
      reopen: (chosen) => void this.#reopen(opening, chosen),
      page: this.#view,
      readCode: this.#readCode,
      stage: () => this.#startStage(),
    });
  }

  #startStage(): Promise<Stage> {
    this.#stage ??= import('./stage/stage.ts').then(
      ({ Stage }) => new Stage(this.#view, () => this.#onContextLost()),
    );
    return this.#stage;
  }

  async #addPanels(shown: ViewerContent, stage: Stage, offers: ViewerOffers): Promise<void> {
    const { modelPanels } = await import('./panel/panels.ts');
    const panels = modelPanels(shown, stage, {
      offers,
      savePicture: () => void this.#savePicture(),
      copyLink: () => this.#views && this.#send({ type: 'view', view: encodeView(this.#views.read()) }),
      askFullScreen: (isOn) => this.#send({ type: 'full-screen', isOn }),
      onFullScreen: (listener) => {
        this.#onFullScreen = listener;
      },
    });
    this.#view.append(...panels);
  }

  async #addOmitted(omitted: readonly string[]): Promise<void> {
    const { omittedNotes } = await import('./panel/statistics.ts');
    this.#view.append(omittedNotes(omitted));
  }

  #progress(bytesRead: number): void {
    // What is read once the model is shown, such as its collision shapes, is no reason to hide it.
    if (this.#shown !== undefined) return;
    this.#status.textContent = messages.loadingBytes(formatBytes(bytesRead));
    this.#send({ type: 'state', state: { status: 'loading', bytesRead } });
  }

  async #refuse(error: unknown, opening: Opening): Promise<void> {
    const reason = plainReason(messageOf(error));
    const isSlow = error instanceof TooSlow;
    const canLoadAnyway = (isSlow || error instanceof TooLarge) && !opening.loadAnyway;
    await this.#close();
    const again = {
      label: isSlow ? messages.keepWaiting : messages.loadAnyway,
      run: () => void this.#open({ ...opening, loadAnyway: true }),
    };
    const showFiles = () => this.#send({ type: 'show-files' });
    this.#page.replaceChildren(refusalPanel(reason, showFiles, canLoadAnyway ? again : undefined));
    this.#reportRefused(reason, canLoadAnyway);
  }

  /** The GPU, or its software replacement, lost the context. */
  #onContextLost(): void {
    this.#shown?.close?.();
    const reason = messages.contextLost;
    this.#page.replaceChildren(refusalPanel(reason, () => this.#send({ type: 'show-files' })));
    this.#reportRefused(reason);
  }

  /** Draws nothing from here on. The frame is removed after it has said that its graphics are idle. */
  async #stop(): Promise<void> {
    this.#shown?.close?.();
    const stage = await this.#stage?.catch(() => undefined);
    await stage?.stop();
    this.#send({ type: 'closed' });
  }

  async #close(): Promise<void> {
    this.#shown?.close?.();
    this.#shown = undefined;
    this.#views = undefined;
    const stage = await this.#stage?.catch(() => undefined);
    stage?.close();
    this.#stage = undefined;
  }

  /** Draws or measures an asset instead of showing it; reports why it cannot. */
  async #work(what: 'draw' | 'describe', asset: ViewerAsset): Promise<void> {
    try {
      const { readInWorker } = await import('./draw-thumbnail.ts');
      const read = (path: string) => this.#readFile(path);
      if (what === 'describe') {
        const description = await readInWorker(what, asset, read, this.#readCode);
        this.#send({ type: 'described', description });
        return;
      }
      const { webp, statistics } = await readInWorker(what, asset, read, this.#readCode);
      this.#send({ type: 'thumbnail', webp: webp.buffer, statistics }, [webp.buffer]);
    } catch (error) {
      this.#reportRefused(messageOf(error));
    }
  }

  #reportRefused(reason: string, canLoadAnyway = false): void {
    this.#send({ type: 'state', state: { status: 'refused', reason, canLoadAnyway } });
  }

  async #savePicture(): Promise<void> {
    const stage = await this.#stage;
    await this.#refined;
    if (stage === undefined) return;
    const png = await (await stage.capture()).arrayBuffer();
    this.#send({ type: 'picture', png }, [png]);
  }
}

function shortcutOf({ key, ctrlKey, metaKey, target }: KeyboardEvent): ViewerShortcut | null {
  if ((ctrlKey || metaKey) && key.toLowerCase() === 'k') return 'palette';
  return key === '?' && !(target instanceof HTMLInputElement) ? 'keys' : null;
}

function scaled(camera: CameraPlace, scale: number): number[] {
  return camera.map((value) => value * scale);
}
