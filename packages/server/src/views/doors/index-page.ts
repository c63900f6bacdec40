import { createHash } from 'node:crypto';
import { basename } from 'node:path/posix';
import { Readable } from 'node:stream';
import type { DoorEntry } from '../../doors/tree.ts';

const STYLE = `:root{color-scheme:light dark;font:15px/1.6 system-ui,sans-serif}body{margin:2rem auto;max-width:60rem;padding:0 1rem}
h1{font-size:1.2rem;overflow-wrap:anywhere}table{border-collapse:collapse;width:100%}td{padding:.15rem 0;overflow-wrap:anywhere}
td+td{text-align:right;white-space:nowrap;padding-left:1rem;font-variant-numeric:tabular-nums}`;

/** Nothing but this style sheet applies to the page. */
export const INDEX_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/**
 * The index of a folder for people, and for clients that follow its links, which are relative. `query`, which may be
 * empty, is appended to every link.
 */
export function indexPage(
  title: string,
  entries: AsyncIterable<DoorEntry>,
  isRoot: boolean,
  query: string,
): Readable {
  return Readable.from(write(title, entries, isRoot, query), { objectMode: false });
}

async function* write(title: string, entries: AsyncIterable<DoorEntry>, isRoot: boolean, query: string) {
  const heading = escapeHtml(`Index of ${title}`);
  yield `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${heading}</title><style>${STYLE}</style></head><body><h1>${heading}</h1><table>`;
  if (!isRoot) yield row('../', '', query);
  for await (const entry of entries) {
    if (entry.kind === 'folder') yield row(`${basename(entry.path)}/`, '', query);
    else yield row(basename(entry.file.path), `${entry.file.size.toLocaleString('en-US')} bytes`, query);
  }
  yield '</table></body></html>\n';
}

/** The link begins with "./", because a name may look like a scheme. */
function row(name: string, size: string, query: string): string {
  const href = `./${encodeURIComponent(name.replace(/\/$/, ''))}${name.endsWith('/') ? '/' : ''}${query}`;
  return `<tr><td><a href="${escapeHtml(href)}">${escapeHtml(name)}</a></td><td>${size}</td></tr>\n`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
