import { type MarkedToken, marked, type Token, type Tokens } from 'marked';
import { element } from '../panel/element.ts';

/**
 * Markdown as elements. Only what is made here exists in the page: HTML within the text shows as text, links lead nowhere
 * (an address tells where they would), and images, which would be fetched from elsewhere, are their descriptions.
 */
export function markdown(text: string): HTMLElement {
  const article = element('div', { class: 'prose' });
  article.append(...blocks(marked.lexer(text)));
  return article;
}

/** Deeper nesting than anybody writes. */
const MAX_DEPTH = 50;

function blocks(tokens: readonly Token[], depth = 0): Node[] {
  return depth > MAX_DEPTH ? [] : tokens.flatMap((token) => block(token as MarkedToken, depth + 1));
}

function block(token: MarkedToken, depth: number): Node[] {
  switch (token.type) {
    case 'heading':
      return [element(HEADINGS[token.depth] ?? 'h6', {}, ...inlines(token.tokens, depth))];
    case 'paragraph':
      return [element('p', {}, ...inlines(token.tokens, depth))];
    case 'text':
      return 'tokens' in token && token.tokens
        ? inlines(token.tokens, depth)
        : [document.createTextNode(token.text)];
    case 'code':
      return [element('pre', {}, element('code', {}, token.text))];
    case 'blockquote':
      return [element('blockquote', {}, ...blocks(token.tokens ?? [], depth))];
    case 'list': {
      const items = token.items.map((item: Tokens.ListItem) =>
        element('li', {}, ...blocks(item.tokens, depth)),
      );
      return [token.ordered ? element('ol', {}, ...items) : element('ul', {}, ...items)];
    }
    case 'table':
      return [table(token as Tokens.Table, depth)];
    case 'hr':
      return [element('hr')];
    case 'html':
      return [element('pre', {}, token.text)];
    case 'space':
    case 'def':
      return [];
    default:
      return inlines([token], depth);
  }
}

const HEADINGS: Readonly<Record<number, 'h1' | 'h2' | 'h3' | 'h4' | 'h5' | 'h6'>> = {
  1: 'h1',
  2: 'h2',
  3: 'h3',
  4: 'h4',
  5: 'h5',
  6: 'h6',
};

function inlines(tokens: readonly Token[] | undefined, depth: number): Node[] {
  return depth > MAX_DEPTH ? [] : (tokens ?? []).map((token) => inline(token as MarkedToken, depth + 1));
}

function inline(token: MarkedToken, depth: number): Node {
  switch (token.type) {
    case 'strong':
      return element('strong', {}, ...inlines(token.tokens, depth));
    case 'em':
      return element('em', {}, ...inlines(token.tokens, depth));
    case 'del':
      return element('del', {}, ...inlines(token.tokens, depth));
    case 'codespan':
      return element('code', {}, token.text);
    case 'br':
      return element('br');
    case 'link':
      return element('a', { title: token.href }, ...inlines(token.tokens, depth));
    case 'image':
      return element('span', { title: token.href }, `[${token.text}]`);
    case 'checkbox':
      return document.createTextNode(token.checked ? '☑ ' : '☐ ');
    case 'text':
      return token.tokens
        ? element('span', {}, ...inlines(token.tokens, depth))
        : document.createTextNode(token.text);
    default:
      return document.createTextNode('text' in token ? String(token.text) : token.raw);
  }
}

function table({ header, rows }: Tokens.Table, depth: number): HTMLElement {
  const head = header.map(({ tokens }) => element('th', {}, ...inlines(tokens, depth)));
  const body = rows.map((row) =>
    element('tr', {}, ...row.map(({ tokens }) => element('td', {}, ...inlines(tokens, depth)))),
  );
  return element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...body),
  );
}
