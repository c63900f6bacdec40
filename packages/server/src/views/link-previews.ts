import { pagePath } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { ANONYMOUS } from '../access/viewer.ts';
import type { Context } from '../context.ts';
import { type DoorRevision, openAtDoor } from '../doors/revision.ts';
import { notFound, ServiceError } from '../errors.ts';
import type { ClosureFile } from '../revision/file-closure.ts';
import { addressOf, segmentsOf } from './doors/address.ts';
import { type Html, html } from './pages/page.ts';

/** What other sites show of a page of the dashboard: of a library, or of one asset. */
export interface LinkPreview {
  title: string;
  description: string;
  /** The page. */
  url: string;
  /** A picture of it; null if there is none that sites can show. */
  picture: string | null;
  /** The same as an animation that turns; null if it was drawn without. */
  turntable: string | null;
  /** The page that shows the asset alone, for a frame; null for a library, and where none may be framed. */
  embed: string | null;
}

/** Where the page is that shows an asset alone: `/app/embed/<namespace>/<library>[@<release>]/<asset>`. */
export const EMBED = '/app/embed/';

/** The library, and for most addresses the asset, that the path and query of a page of the dashboard are about. */
export function pageAddress({ pathname, searchParams }: URL) {
  const isEmbed = pathname.startsWith(EMBED);
  const [namespace, library, asset, ...more] = segmentsOf(pathname).slice(isEmbed ? 3 : 2);
  if (more.length > 0) return null;
  const [name, at] = isEmbed
    ? (library?.split(/@(.*)/s) ?? [])
    : [library, searchParams.get('release') || undefined];
  return { address: addressOf(namespace, name, at), asset: asset || null };
}

/** Returns the preview of a page of the dashboard; null if it is about nothing that everybody can read. */
export async function previewOf(context: Context, page: URL): Promise<LinkPreview | null> {
  const asked = pageAddress(page);
  if (asked === null) return null;
  try {
    return await describe(context, await openAtDoor(context, ANONYMOUS, asked.address), asked.asset);
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

/** How many assets of a library are asked for a picture. */
const MAX_ASKED = 100;

async function describe(
  context: Context,
  revision: DoorRevision,
  assetId: string | null,
): Promise<LinkPreview | null> {
  const { namespace, row, index } = revision;
  const library = `${namespace}/${row.name}`;
  const address = { namespace, name: row.name, release: row.release };
  const page = (id?: string) => context.publicUrl() + pagePath(address, id);
  if (assetId === null) {
    const first = Array.from({ length: Math.min(row.asset_count, MAX_ASKED) }, (_, number) => number);
    const numbers = row.cover_asset === null ? first : [index.indexOfAsset(row.cover_asset), ...first];
    return {
      title: row.title ?? library,
      description: row.description ?? `${row.asset_count} assets of ${namespace}`,
      url: page(),
      ...(await picturesOf(
        context,
        revision,
        numbers.map((number) => index.thumbnail(number)),
      )),
      embed: null,
    };
  }
  const number = index.indexOfAsset(assetId);
  if (number < 0) return null;
  const { title, description } = index.card(number);
  const id = encodeURIComponent(assetId);
  const at = row.release === undefined ? '' : `@${row.release}`;
  const isFramed = context.configuration.embedOrigins !== 'off';
  return {
    title: title ?? assetId,
    description: description ?? `An asset of ${row.title ?? library}`,
    url: page(assetId),
    ...(await picturesOf(context, revision, [index.thumbnail(number)])),
    embed: isFramed ? `${context.publicUrl()}${EMBED}${library}${at}/${id}` : null,
  };
}

/** Returns the permanent addresses of the first picture that sites show, unlike SVG. */
async function picturesOf(
  context: Context,
  { namespace, row }: DoorRevision,
  pictures: readonly (ClosureFile | null)[],
): Promise<Pick<LinkPreview, 'picture' | 'turntable'>> {
  const picture = pictures.find((one) => one !== null && /\.(?:png|jpe?g|webp|gif)$/i.test(one.path));
  if (!picture) return { picture: null, turntable: null };
  const at = row.release === undefined ? '' : `@${row.release}`;
  const path = picture.path.split('/').map(encodeURIComponent).join('/');
  const address = `${context.publicUrl()}/raw/${namespace}/${row.name}${at}/${path}`;
  const object = { storeId: row.store_id, sha256: picture.sha256 };
  const turns = await context.smallThumbnails.hasTurntable(object);
  return { picture: address, turntable: turns ? `${address}?turntable` : null };
}

/** The elements by which other sites find a preview in a page: Open Graph, and where oEmbed is. */
export function previewElements(context: Context, preview: LinkPreview): Html {
  const { title, description, url, picture, turntable, embed } = preview;
  const oembed = `${context.publicUrl()}/oembed?url=${encodeURIComponent(url)}&format=json`;
  return html`<meta property="og:site_name" content="Bindery">
<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${url}">
${turntable && html`<meta property="og:image" content="${turntable}">\n<meta property="og:image:type" content="image/webp">`}
${picture && html`<meta property="og:image" content="${picture}">\n<meta name="twitter:image" content="${picture}">`}
<meta name="twitter:card" content="${picture ? 'summary_large_image' : 'summary'}">
${embed && html`<link rel="alternate" type="application/json+oembed" href="${oembed}" title="${title}">`}
`;
}

/** The size of a frame in pixels where the site sets no limit. */
const FRAME = { width: 640, height: 480 };

/** Answers what a site shows of a page of the dashboard (oEmbed 1.0): for a public asset, the frame that shows it. */
export function oembedView(app: FastifyInstance, context: Context): void {
  app.get<{ Querystring: Record<string, unknown> }>('/oembed', async ({ query }, reply) => {
    const { url, format = 'json' } = query;
    if (format !== 'json')
      return reply.code(501).send({ error: 'not_implemented', message: 'Only JSON is answered.' });
    const page = typeof url === 'string' && URL.canParse(url) ? new URL(url) : null;
    const isOurs = page?.origin === new URL(context.publicUrl()).origin && page.pathname.startsWith('/app/');
    const preview = isOurs && page ? await previewOf(context, page) : null;
    if (preview?.embed == null) throw notFound();
    const width = limited(FRAME.width, query.maxwidth);
    const height = limited(FRAME.height, query.maxheight);
    const frame = html`<iframe src="${preview.embed}" width="${width}" height="${height}" title="${preview.title}" style="border:0" loading="lazy" allowfullscreen></iframe>`;
    return reply.header('cache-control', 'public, max-age=300').send({
      version: '1.0',
      type: 'rich',
      title: preview.title,
      provider_name: 'Bindery',
      provider_url: context.publicUrl(),
      width,
      height,
      html: frame.text,
    });
  });
}

function limited(size: number, most: unknown): number {
  const limit = typeof most === 'string' && /^[1-9]\d{0,4}$/.test(most) ? Number(most) : size;
  return Math.min(size, limit);
}
