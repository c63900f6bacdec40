import { type MarkedToken, marked, type Token, type Tokens } from 'marked';
import { decoded, markupParts } from './markup.ts';

/** What is shown of Markdown: text, elements without attributes, links, images and line breaks. */
export type MarkdownNode =
  | string
  | { readonly type: 'element'; readonly name: ElementName; readonly children: readonly MarkdownNode[] }
  | { readonly type: 'heading'; readonly level: number; readonly children: readonly MarkdownNode[] }
  | { readonly type: 'link'; readonly href: string; readonly children: readonly MarkdownNode[] }
  | { readonly type: 'image'; readonly href: string; readonly text: string };

export type ElementName =
  | ('p' | 'pre' | 'code' | 'blockquote' | 'ol' | 'ul' | 'li' | 'hr' | 'br' | 'span')
  | ('strong' | 'em' | 'del' | 'table' | 'thead' | 'tbody' | 'tr' | 'th' | 'td');

/** Deeper than any real document. */
const MAX_DEPTH = 50;

/**
 * Parses Markdown. HTML within it is reduced to its text, images and line breaks. Some texts take a time that grows with
 * the square of their length, or worse: pages call `parseInWorker`.
 */
export function parseMarkdown(text: string): MarkdownNode[] {
  return blocks(marked.lexer(text), 0);
}

function blocks(tokens: readonly Token[], depth: number): MarkdownNode[] {
  return depth > MAX_DEPTH ? [] : tokens.flatMap((token) => block(token as MarkedToken, depth + 1));
}

function block(token: MarkedToken, depth: number): MarkdownNode[] {
  switch (token.type) {
    case 'heading':
      return [{ type: 'heading', level: token.depth, children: inlines(token.tokens, depth) }];
    case 'paragraph':
      return [element('p', ...inlines(token.tokens, depth))];
    case 'text':
      return 'tokens' in token && token.tokens ? inlines(token.tokens, depth) : [decoded(token.text)];
    case 'code':
      return [element('pre', element('code', token.text))];
    case 'blockquote':
      return [quotation(token, depth)];
    case 'list': {
      const items = token.items.map((item: Tokens.ListItem) => element('li', ...blocks(item.tokens, depth)));
      return [element(token.ordered ? 'ol' : 'ul', ...items)];
    }
    case 'table':
      return [table(token as Tokens.Table, depth)];
    case 'hr':
      return [element('hr')];
    case 'html':
      return [element('p', ...markup(token.text))];
    case 'space':
    case 'def':
      return [];
    default:
      return inlines([token], depth);
  }
}

function inlines(tokens: readonly Token[] | undefined, depth: number): MarkdownNode[] {
  return depth > MAX_DEPTH ? [] : (tokens ?? []).map((token) => inline(token as MarkedToken, depth + 1));
}

function inline(token: MarkedToken, depth: number): MarkdownNode {
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return element(token.type, ...inlines(token.tokens, depth));
    case 'codespan':
      return element('code', token.text);
    case 'br':
      return element('br');
    case 'link':
      return { type: 'link', href: token.href, children: inlines(token.tokens, depth) };
    case 'image':
      return { type: 'image', href: token.href, text: token.text };
    case 'html':
      return element('span', ...markup(token.text));
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'text':
      return token.tokens ? element('span', ...inlines(token.tokens, depth)) : decoded(token.text);
    default:
      return 'text' in token ? String(token.text) : token.raw;
  }
}

/** Renders `[!NOTE]` and similar markers at the start as a heading, as code hosts do. */
function quotation({ text, tokens }: Tokens.Blockquote, depth: number): MarkdownNode {
  const [, kind = '', rest = ''] = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*([\s\S]*)$/.exec(text) ?? [];
  if (kind === '') return element('blockquote', ...blocks(tokens, depth));
  const title = element('p', element('strong', kind.charAt(0) + kind.slice(1).toLowerCase()));
  return element('blockquote', title, ...blocks(marked.lexer(rest), depth));
}

function markup(html: string): MarkdownNode[] {
  return markupParts(html).map((part) => {
    if (part.type === 'image') return part;
    return part.type === 'break' ? element('br') : part.text;
  });
}

function table({ header, rows }: Tokens.Table, depth: number): MarkdownNode {
  const head = header.map(({ tokens }) => element('th', ...inlines(tokens, depth)));
  const body = rows.map((row) =>
    element('tr', ...row.map(({ tokens }) => element('td', ...inlines(tokens, depth)))),
  );
  return element('table', element('thead', element('tr', ...head)), element('tbody', ...body));
}

function element(name: ElementName, ...children: MarkdownNode[]): MarkdownNode {
  return { type: 'element', name, children };
}
