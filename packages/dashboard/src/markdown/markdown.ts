import { element } from '../element.ts';
import type { MarkdownNode } from './parse.ts';

/** How a page resolves the addresses in a text; without a function, or with null, links and images are inactive. */
export interface MarkdownOptions {
  /** Returns the target of a link. */
  link?(href: string): string | null;
  /** Returns the URL that an image is fetched from. */
  image?(href: string): string | null;
  /** The level of the text's first headings in the page, 1 by default. */
  headingLevel?: number;
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
  return element('div', { class: 'prose' }, ...nodes.map((node) => rendered(node, options)));
}

/** Returns the addresses of the images in a text, without duplicates. */
export function imagesOf(nodes: readonly MarkdownNode[]): string[] {
  const hrefs = nodes.flatMap((node) => {
    if (typeof node === 'string') return [];
    return node.type === 'image' ? [node.href] : imagesOf(node.children);
  });
  return [...new Set(hrefs)];
}

function rendered(node: MarkdownNode, options: MarkdownOptions): Node | string {
  if (typeof node === 'string') return node;
  if (node.type === 'image') return image(node, options);
  const children = node.children.map((child) => rendered(child, options));
  switch (node.type) {
    case 'element':
      return element(node.name, {}, ...children);
    case 'heading':
      return element(headingName(node.level, options), {}, ...children);
    case 'link': {
      const target = options.link?.(node.href) ?? null;
      const attributes =
        target === null
          ? { title: node.href }
          : { href: target, rel: 'noreferrer noopener nofollow', target: '_blank' };
      return element('a', attributes, ...children);
    }
  }
}

function image({ href, text }: { href: string; text: string }, options: MarkdownOptions): HTMLElement {
  const src = options.image?.(href) ?? null;
  return src === null
    ? element('span', { title: href }, `[${text}]`)
    : element('img', { src, alt: text, loading: 'lazy' });
}

function headingName(level: number, { headingLevel = 1 }: MarkdownOptions) {
  return `h${Math.min(6, level + headingLevel - 1) as 1 | 2 | 3 | 4 | 5 | 6}` as const;
}

function countNodes(nodes: readonly MarkdownNode[]): number {
  return nodes.reduce(
    (sum, node) => sum + (typeof node !== 'string' && 'children' in node ? countNodes(node.children) : 0),
    nodes.length,
  );
}
