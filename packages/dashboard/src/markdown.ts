import { type MarkedToken, marked, type Token, type Tokens } from 'marked';
import { element } from './element.ts';
import { decoded, markupParts } from './markup.ts';

/** How a page resolves the addresses in a text; with null, links are inactive and images are shown as text. */
export interface MarkdownOptions {
  /** Returns the target of a link. */
  link?(href: string): string | null;
  /** Returns the URL that an image is fetched from. */
  image?(href: string): string | null;
  /** The level of the text's first headings in the page, 1 by default. */
  headingLevel?: number;
}

/**
 * Renders Markdown as elements. Only elements created here reach the page: HTML within the text is reduced to its text
 * and images. By default links are inactive, with their address as a tooltip, and images show their alternative text.
 */
export function markdown(text: string, places: MarkdownOptions = {}): HTMLElement {
  const article = element('div', { class: 'prose' });
  article.append(...new MarkdownElements(places).blocks(marked.lexer(text)));
  return article;
}

/** Returns the addresses of the images in a text, without duplicates. */
export function imagesOf(text: string): string[] {
  const hrefs = new Set<string>();
  const note = (href: string) => {
    hrefs.add(href);
    return null;
  };
  markdown(text, { image: note });
  return [...hrefs];
}

/** Deeper than any real document. */
const MAX_DEPTH = 50;

class MarkdownElements {
  readonly #options: MarkdownOptions;

  constructor(places: MarkdownOptions) {
    this.#options = places;
  }

  blocks(tokens: readonly Token[], depth = 0): Node[] {
    return depth > MAX_DEPTH ? [] : tokens.flatMap((token) => this.#block(token as MarkedToken, depth + 1));
  }

  #block(token: MarkedToken, depth: number): Node[] {
    switch (token.type) {
      case 'heading':
        return [element(this.#heading(token.depth), {}, ...this.#inlines(token.tokens, depth))];
      case 'paragraph':
        return [element('p', {}, ...this.#inlines(token.tokens, depth))];
      case 'text':
        return 'tokens' in token && token.tokens
          ? this.#inlines(token.tokens, depth)
          : [document.createTextNode(decoded(token.text))];
      case 'code':
        return [element('pre', {}, element('code', {}, token.text))];
      case 'blockquote':
        return [this.#quotation(token, depth)];
      case 'list': {
        const items = token.items.map((item: Tokens.ListItem) =>
          element('li', {}, ...this.blocks(item.tokens, depth)),
        );
        return [token.ordered ? element('ol', {}, ...items) : element('ul', {}, ...items)];
      }
      case 'table':
        return [this.#table(token as Tokens.Table, depth)];
      case 'hr':
        return [element('hr')];
      case 'html':
        return [element('p', {}, ...this.#markup(token.text))];
      case 'space':
      case 'def':
        return [];
      default:
        return this.#inlines([token], depth);
    }
  }

  #inlines(tokens: readonly Token[] | undefined, depth: number): Node[] {
    return depth > MAX_DEPTH
      ? []
      : (tokens ?? []).map((token) => this.#inline(token as MarkedToken, depth + 1));
  }

  #inline(token: MarkedToken, depth: number): Node {
    switch (token.type) {
      case 'strong':
        return element('strong', {}, ...this.#inlines(token.tokens, depth));
      case 'em':
        return element('em', {}, ...this.#inlines(token.tokens, depth));
      case 'del':
        return element('del', {}, ...this.#inlines(token.tokens, depth));
      case 'codespan':
        return element('code', {}, token.text);
      case 'br':
        return element('br');
      case 'link':
        return this.#link(token, depth);
      case 'image':
        return this.#image(token);
      case 'html':
        return element('span', {}, ...this.#markup(token.text));
      case 'checkbox':
        return document.createTextNode(token.checked ? '☑ ' : '☐ ');
      case 'text':
        return token.tokens
          ? element('span', {}, ...this.#inlines(token.tokens, depth))
          : document.createTextNode(decoded(token.text));
      default:
        return document.createTextNode('text' in token ? String(token.text) : token.raw);
    }
  }

  /** Renders `[!NOTE]` and similar markers at the start as a heading, as code hosts do. */
  #quotation({ text, tokens }: Tokens.Blockquote, depth: number): HTMLElement {
    const [, kind = '', rest = ''] =
      /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*([\s\S]*)$/.exec(text) ?? [];
    if (kind === '') return element('blockquote', {}, ...this.blocks(tokens, depth));
    const title = element('p', {}, element('strong', {}, kind.charAt(0) + kind.slice(1).toLowerCase()));
    return element('blockquote', {}, title, ...this.blocks(marked.lexer(rest), depth));
  }

  #markup(html: string): Node[] {
    return markupParts(html).map((part) => {
      if (part.type === 'image') return this.#image(part);
      return part.type === 'break' ? element('br') : document.createTextNode(part.text);
    });
  }

  #table({ header, rows }: Tokens.Table, depth: number): HTMLElement {
    const head = header.map(({ tokens }) => element('th', {}, ...this.#inlines(tokens, depth)));
    const body = rows.map((row) =>
      element('tr', {}, ...row.map(({ tokens }) => element('td', {}, ...this.#inlines(tokens, depth)))),
    );
    return element(
      'table',
      {},
      element('thead', {}, element('tr', {}, ...head)),
      element('tbody', {}, ...body),
    );
  }

  #heading(depth: number): `h${1 | 2 | 3 | 4 | 5 | 6}` {
    return `h${Math.min(6, depth + (this.#options.headingLevel ?? 1) - 1) as 1 | 2 | 3 | 4 | 5 | 6}`;
  }

  #link({ href, tokens }: Tokens.Link, depth: number): Node {
    const leadsTo = this.#options.link?.(href) ?? null;
    const attributes =
      leadsTo === null
        ? { title: href }
        : { href: leadsTo, rel: 'noreferrer noopener nofollow', target: '_blank' };
    return element('a', attributes, ...this.#inlines(tokens, depth));
  }

  #image({ href, text }: Pick<Tokens.Image, 'href' | 'text'>): Node {
    const src = this.#options.image?.(href) ?? null;
    return src === null
      ? element('span', { title: href }, `[${text}]`)
      : element('img', { src, alt: text, loading: 'lazy' });
  }
}
