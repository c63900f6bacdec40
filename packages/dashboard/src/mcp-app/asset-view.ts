import viewerCode from 'virtual:viewer-code';
import viewerDocument from 'virtual:viewer-document';
import type { App } from '@modelcontextprotocol/ext-apps';
import { element } from '../element.ts';
import { formatMass, formatSize } from '../format-quantities.ts';
import { type OpenedViewer, openViewer } from '../open-viewer.ts';
import type { Theme, ViewerState, ViewerStatistics } from '../viewer-protocol.ts';
import { messages } from './messages.ts';
import { type InspectedAsset, readFile, type ShownImage } from './service.ts';

/** An asset in the viewer's frame, below its title: its picture until it can be turned, or if it cannot. */
export class AssetView {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #asset: InspectedAsset;
  readonly #stage = element('div', { class: 'stage' });
  readonly #facts = element('p', { class: 'facts' });
  readonly #status = element('p', { class: 'status', role: 'status' }, messages.loading);
  #viewer: OpenedViewer | undefined;

  /** @param onBack shows the hits from which the asset was chosen, if it was */
  constructor(app: App, asset: InspectedAsset, picture: ShownImage | undefined, onBack?: () => void) {
    this.#app = app;
    this.#asset = asset;
    const { title, assetId, license } = asset.authored;
    const open = element('button', { type: 'button' }, messages.open);
    open.onclick = () => void app.openLink({ url: asset.authored.page });
    const opensLinks = app.getHostCapabilities()?.openLinks !== undefined;
    const back = element('button', { type: 'button' }, messages.back);
    back.onclick = () => onBack?.();
    if (picture !== undefined) this.#stage.append(element('img', { src: picture.url, alt: '' }));
    this.#stage.append(this.#status);
    this.#facts.textContent = [asset.library, license].filter(Boolean).join(' · ');
    this.element = element(
      'main',
      {},
      element(
        'header',
        {},
        element('h1', {}, title ?? assetId),
        ...(onBack ? [back] : []),
        ...(opensLinks ? [open] : []),
      ),
      this.#facts,
      this.#stage,
    );
  }

  /** Call it once the element is in the document. */
  open(theme: Theme, service: string): void {
    const { library, authored } = this.#asset;
    const { kind, files } = authored;
    const entry = authored.entry ?? (files.length === 1 ? files[0]?.path : undefined);
    if (entry === undefined) {
      this.#refuse(messages.noEntry);
      return;
    }
    const frame = element('iframe', { title: messages.viewer(authored.title ?? authored.assetId) });
    this.#stage.append(frame);
    const byPath = new Map(files.map((file) => [file.path, file]));
    this.#viewer = openViewer(
      frame,
      { kind, entry, files: files.map(({ path, size }) => ({ path, size })) },
      async (path) => {
        const file = byPath.get(path);
        if (file === undefined) throw new Error(messages.noAnswer);
        return readFile(this.#app, library, file);
      },
      {
        theme,
        code: viewerCode,
        codeOrigin: service,
        document: viewerDocument,
        onState: (state) => this.#show(state, frame),
      },
    );
  }

  setTheme(theme: Theme): void {
    this.#viewer?.setTheme(theme);
  }

  close(): void {
    void this.#viewer?.close();
  }

  #show(state: ViewerState, frame: HTMLIFrameElement): void {
    if (state.status === 'refused') {
      frame.remove();
      this.#refuse(state.reason);
    } else if (state.status === 'shown') {
      // The frame stays in its place: moving it would load it anew.
      for (const cover of [...this.#stage.children]) if (cover !== frame) cover.remove();
      const { library, fileCount, authored } = this.#asset;
      const facts = [library, authored.license, messages.files(fileCount), ...factsOf(state.statistics)];
      this.#facts.textContent = facts.filter(Boolean).join(' · ');
    }
  }

  #refuse(reason: string): void {
    this.#status.textContent = messages.notShown(reason);
  }
}

function factsOf({ triangles, joints, size, unit, mass }: ViewerStatistics): string[] {
  return [
    ...(size === undefined ? [] : [formatSize(size, unit)]),
    ...(mass === undefined ? [] : [formatMass(mass)]),
    ...(joints === undefined ? [] : [messages.joints(joints)]),
    ...(triangles === undefined ? [] : [messages.triangles(triangles)]),
  ];
}
