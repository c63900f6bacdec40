import { App } from '@modelcontextprotocol/ext-apps';
import { messageOf } from '../ask.ts';
import { element } from '../element.ts';
import type { Theme } from '../viewer-protocol.ts';
import './mcp-app.css';
import { AssetView } from './asset-view.ts';
import { messages } from './messages.ts';
import { type FoundHit, type InspectedAsset, imagesOf, inspectAsset, type ShownImage } from './service.ts';

/**
 * The document that hosts of agents show with the answers of `inspect_asset` and `search_assets`. It runs in the host's
 * sandbox: whatever it needs of the service it asks the host for, except the viewer's code, which is public.
 */

const app = new App({ name: 'bindery-viewer', title: 'Bindery', version: '1' }, {});
const service = document.querySelector<HTMLMetaElement>('meta[name="bindery-service"]')?.content ?? '';
let shown: AssetView | undefined;

function theme(): Theme {
  return app.getHostContext()?.theme === 'dark' ? 'dark' : 'light';
}

function place(content: HTMLElement): void {
  shown?.close();
  shown = undefined;
  document.body.replaceChildren(content);
}

function showAsset(asset: InspectedAsset, picture: ShownImage | undefined, onBack?: () => void): void {
  const view = new AssetView(app, asset, picture, onBack);
  place(view.element);
  shown = view;
  view.open(theme(), service);
}

/** Reads the asset anew: an answer has a part of its files. */
async function openAsset(library: string, assetId: string, onBack?: () => void): Promise<void> {
  place(element('p', { role: 'status' }, messages.loading));
  try {
    const { asset, images } = await inspectAsset(app, library, assetId);
    showAsset(asset, images[0], onBack);
  } catch (error) {
    place(element('p', { role: 'status' }, messages.notShown(messageOf(error))));
  }
}

function showHits(hits: readonly FoundHit[], images: readonly ShownImage[]): void {
  const cards = hits.map(({ library, picture, authored: { assetId, title, license } }) => {
    const image = picture === null ? undefined : images[picture - 1];
    const card = element(
      'button',
      { type: 'button' },
      image ? element('img', { src: image.url, alt: '' }) : element('span', { class: 'no-picture' }),
      element('strong', {}, title ?? assetId),
      element('small', {}, [library, license].filter(Boolean).join(' · ')),
    );
    card.onclick = () => void openAsset(library, assetId, () => showHits(hits, images));
    return element('li', {}, card);
  });
  place(element('main', {}, element('ul', { class: 'hits' }, ...cards)));
}

app.ontoolresult = ({ structuredContent, content, isError }) => {
  const value = structuredContent as { hits?: FoundHit[]; authored?: { assetId?: string }; library?: string };
  if (isError || value === undefined) return document.body.replaceChildren();
  const images = imagesOf(content ?? []);
  if (value.hits !== undefined) return showHits(value.hits, images);
  const { authored, library } = value;
  if (authored?.assetId === undefined || library === undefined) return document.body.replaceChildren();
  const asset = value as InspectedAsset;
  if (asset.nextCursor === null) showAsset(asset, images[0]);
  else void openAsset(library, authored.assetId);
};

function applyTheme(): void {
  document.documentElement.style.colorScheme = theme();
  shown?.setTheme(theme());
}

app.onhostcontextchanged = applyTheme;
app.onteardown = async () => {
  shown?.close();
  return {};
};
void app.connect().then(applyTheme);
