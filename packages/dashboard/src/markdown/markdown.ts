import { element } from '../element.ts';
import type { MarkdownNode } from './parse.ts';

/** How a page resolves the addresses in a text; without a function, or with null, links and images are inactive. */
export interface MarkdownOptions {
  /** Returns the target of a link. */
  link?(href: string): string | null;
  /** Returns the URL that an image is fetched from. */
  image?(href: string): string | null;
  /** The level of the text's highest headings in the page, 1 by default. */
  headingLevel?: number;
  /** What the ids of headings begin with. Without it, headings have none, and links within the text are inactive. */
  anchors?: string;
}

/** How long a text may take to parse, in milliseconds, and how many nodes it may become. Real texts need a tenth. */
const DEADLINE = 2000;
const MAX_NODES = 100_000;

/**
 * Parses Markdown in a worker, which is terminated at the end. Returns undefined for a text that takes too long or
 * becomes too much to show, which pages show as it is.
 */
export async function parseInWorker(worker: Worker, text: string): Promise<MarkdownNode[] | undefined> {
  const parsed = Promise.withResolvers<MarkdownNode[] | undefined>();
  worker.onmessage = ({ data }: MessageEvent<MarkdownNode[]>) => parsed.resolve(data);
  worker.onerror = () => parsed.resolve(undefined);
  const deadline = setTimeout(() => parsed.resolve(undefined), DEADLINE);
  worker.postMessage(text);
  try {
    const nodes = await parsed.promise;
    return nodes !== undefined && countNodes(nodes) <= MAX_NODES ? nodes : undefined;
  } finally {
    clearTimeout(deadline);
    worker.terminate();
  }
}

/** Renders Markdown as elements, with links and images only where `options` resolve their addresses. */
export function markdownElement(nodes: readonly MarkdownNode[], options: MarkdownOptions = {}): HTMLElement {
  const { headingLevel = 1 } = options;
  const shift = headingLevel - highestLevel(nodes);
  return element('div', { class: 'prose' }, ...nodes.map((node) => rendered(node, { ...options, shift })));
}

/** Returns the addresses of the images, or of the links, in a text, without duplicates. */
export function hrefsOf(nodes: readonly MarkdownNode[], type: 'image' | 'link'): string[] {
  const hrefs = new Set<string>();
  for (const node of within(nodes)) if (typeof node !== 'string' && node.type === type) hrefs.add(node.href);
  return [...hrefs];
}

/** All nodes of a text, each before those in it. */
function* within(nodes: readonly MarkdownNode[]): Generator<MarkdownNode> {
  for (const node of nodes) {
    yield node;
    if (typeof node !== 'string' && 'children' in node) yield* within(node.children);
  }
}

interface Places extends MarkdownOptions {
  /** How many levels deeper headings are in the page than in the text. */
  shift: number;
}

function highestLevel(nodes: readonly MarkdownNode[]): number {
  let highest = 6;
  for (const node of within(nodes))
    if (typeof node !== 'string' && node.type === 'heading') highest = Math.min(highest, node.level);
  return highest;
}

function rendered(node: MarkdownNode, options: Places): Node | string {
  if (typeof node === 'string') return node;
  if (node.type === 'image') return image(node, options);
  const children = node.children.map((child) => rendered(child, options));
  switch (node.type) {
    case 'element':
      return element(node.name, {}, ...children);
    case 'heading':
      return element(headingName(node.level + options.shift), headingId(node.children, options), ...children);
    case 'link':
      return element('a', linkAttributes(node.href, options), ...children);
  }
}

function linkAttributes(href: string, { link, anchors }: MarkdownOptions): Record<string, string> {
  if (href.startsWith('#') && anchors !== undefined)
    return { href: `#${anchors}${href.slice(1).toLowerCase()}` };
  const target = link?.(href) ?? null;
  if (target === null) return { title: href };
  if (target.startsWith('/')) return { href: target };
  return { href: target, rel: 'noreferrer noopener nofollow', target: '_blank' };
}

/** The id by which texts on code hosts refer to a heading: its words in lower case, with dashes between them. */
function headingId(children: readonly MarkdownNode[], { anchors }: MarkdownOptions): Record<string, string> {
  if (anchors === undefined) return {};
  const words = [...within(children)].filter((node) => typeof node === 'string').join('');
  const plain = words.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
  return { id: anchors + plain.trim().replaceAll(/\s/g, '-') };
}

function image({ href, text }: { href: string; text: string }, options: MarkdownOptions): HTMLElement {
  const src = options.image?.(href) ?? null;
  return src === null
    ? element('span', { title: href }, `[${text}]`)
    : element('img', { src, alt: text, loading: 'lazy' });
}

function headingName(level: number) {
  return `h${Math.min(6, level) as 1 | 2 | 3 | 4 | 5 | 6}` as const;
}

function countNodes(nodes: readonly MarkdownNode[]): number {
  let count = 0;
  for (const _ of within(nodes)) count++;
  return count;
}
