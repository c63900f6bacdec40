import { toMessageText as inMessage, TooLarge, Unrenderable } from '@bindery/render/models';
import { element } from '../element.ts';
import type { Theme, ToViewer, ViewerAsset } from '../viewer-protocol.ts';
import type { ReadCode } from './code.ts';
import { ViewerFiles } from './files.ts';
import { HostConnection } from './host-connection.ts';
import { EXTENDED_LIMITS, NORMAL_LIMITS } from './limits.ts';
import { messages } from './messages.ts';
import { reportPageShortcuts } from './page-shortcuts.ts';
import { controlsPanel } from './panel/controls.ts';
import { refusalPanel } from './panel/refusal.ts';
import { statisticsPanel } from './panel/statistics.ts';
import type { Stage } from './stage/stage.ts';
import type { ViewerContent } from './viewer.ts';
import { viewers } from './viewers/index.ts';
import { viewerFor } from './viewers/select-viewer.ts';

/** The document of the viewer: opens one asset and reports its state. */
export class Frame {
  readonly #host: HostConnection;
  readonly #readCode: ReadCode;
  readonly #view = element('div', { class: 'view' });
  readonly #page = element('main', { 'aria-label': messages.viewer }, this.#view);
  readonly #status = element('div', { class: 'status', role: 'status' }, messages.loading);
  #stage: Promise<Stage> | undefined;
  #shown: ViewerContent | undefined;
  #refined: Promise<void> | undefined;

  constructor(port: MessagePort, readCode: ReadCode) {
    this.#readCode = readCode;
    this.#host = new HostConnection(port, (message) => this.#handleMessage(message));
    document.body.replaceChildren(this.#page);
    reportPageShortcuts((shortcut) => this.#host.reportShortcut(shortcut));
  }

  #handleMessage(message: ToViewer): void {
    switch (message.type) {
      case 'open':
        this.#setTheme(message.theme);
        void this.#open(message.asset, message.loadAnyway);
        break;
      case 'theme':
        this.#setTheme(message.theme);
        break;
      case 'take-picture':
        void this.#savePicture();
        break;
      case 'draw-thumbnail':
        void this.#drawThumbnail(message.asset);
        break;
    }
  }

  #setTheme(theme: Theme): void {
    document.documentElement.dataset.theme = theme;
  }

  async #open(asset: ViewerAsset, loadAnyway: boolean): Promise<void> {
    this.#view.replaceChildren(this.#status);
    this.#page.replaceChildren(this.#view);
    this.#host.reportState({ status: 'loading', bytesRead: 0 });
    try {
      const shown = await this.#show(asset, loadAnyway);
      this.#shown = shown;
      const stage = await this.#stage;
      await this.#addPanels(shown, stage);
      this.#status.remove();
      await stage?.whenDrawn();
      this.#host.reportState({ status: 'shown', statistics: shown.statistics, omitted: shown.omitted });
      this.#refined = shown.refine?.();
    } catch (error) {
      await this.#refuse(error, asset, loadAnyway);
    }
  }

  async #show({ kind, entry, files }: ViewerAsset, loadAnyway: boolean): Promise<ViewerContent> {
    const name = viewerFor(kind, entry);
    if (name === undefined) throw new Unrenderable(messages.noViewer(inMessage(entry)));
    const limits = loadAnyway ? EXTENDED_LIMITS : NORMAL_LIMITS;
    const source = new ViewerFiles(
      files,
      (path) => this.#host.readFile(path),
      (bytesRead) => this.#progress(bytesRead),
    );
    const { viewer } = await viewers[name]();
    return viewer.open({
      kind,
      entry,
      source,
      files: source.withLimits(limits),
      limits,
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

  async #addPanels(
    { statistics, omitted, controls }: ViewerContent,
    stage: Stage | undefined,
  ): Promise<void> {
    if (stage !== undefined) {
      const { stageToolbar } = await import('./panel/toolbar.ts');
      this.#view.append(stageToolbar(stage, () => void this.#savePicture()));
    }
    const panel = controls && controlsPanel(controls);
    if (panel) this.#page.append(panel);
    if (stage !== undefined || omitted.length > 0)
      this.#view.append(statisticsPanel(statistics, omitted, stage?.gridStep));
  }

  #progress(bytesRead: number): void {
    // What is read once the model is shown, such as its collision shapes, is no reason to hide it.
    if (this.#shown !== undefined) return;
    this.#status.textContent = messages.loadingBytes((bytesRead / 1e6).toFixed(1));
    this.#host.reportState({ status: 'loading', bytesRead });
  }

  async #refuse(error: unknown, asset: ViewerAsset, loadAnyway: boolean): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    const canLoadAnyway = error instanceof TooLarge && !loadAnyway;
    await this.#close();
    const again = canLoadAnyway ? () => void this.#open(asset, true) : undefined;
    this.#page.replaceChildren(refusalPanel(reason, () => this.#host.showFiles(), again));
    this.#host.reportState({ status: 'refused', reason, canLoadAnyway });
  }

  /** The GPU, or its software replacement, lost the context. */
  #onContextLost(): void {
    this.#shown?.close?.();
    const reason = messages.contextLost;
    this.#page.replaceChildren(refusalPanel(reason, () => this.#host.showFiles()));
    this.#host.reportState({ status: 'refused', reason, canLoadAnyway: false });
  }

  async #close(): Promise<void> {
    this.#shown?.close?.();
    this.#shown = undefined;
    const stage = await this.#stage?.catch(() => undefined);
    stage?.close();
    this.#stage = undefined;
  }

  async #drawThumbnail(asset: ViewerAsset): Promise<void> {
    try {
      const { drawThumbnail } = await import('./draw-thumbnail.ts');
      const webp = await drawThumbnail(asset, (path) => this.#host.readFile(path), this.#readCode);
      this.#host.sendThumbnail(webp);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#host.reportState({ status: 'refused', reason, canLoadAnyway: false });
    }
  }

  async #savePicture(): Promise<void> {
    const stage = await this.#stage;
    await this.#refined;
    if (stage !== undefined) await this.#host.savePicture(await stage.capture());
  }
}
