import { decodeText, extensionOf } from '@bindery/formats';
import { TooLarge, Unrenderable } from '@bindery/render/models';
import { element } from '../../element.ts';
import { markdownElement, parseInWorker } from '../../markdown/markdown.ts';
import MarkdownWorker from '../../markdown/markdown-worker.ts?worker&inline';
import { messages } from '../messages.ts';
import type { Viewer } from '../viewer.ts';

/** XML, YAML, JSON and other text as plain text; Markdown rendered, unless it is too much to parse. */
export const viewer: Viewer = {
  async open({ entry, source, limits, page }) {
    const size = source.sizes.get(entry) ?? 0;
    if (size > limits.characters)
      throw new TooLarge(`too large: a text of ${size.toLocaleString('en')} bytes`);
    const text = decode(await source.read(entry));
    const nodes =
      extensionOf(entry) === 'md'
        ? await parseInWorker(new MarkdownWorker({ name: 'markdown' }), text)
        : undefined;
    if (nodes !== undefined) {
      page.append(element('article', { class: 'document', tabindex: 0 }, markdownElement(nodes)));
    } else {
      const shown = extensionOf(entry) === 'json' ? indented(text) : text;
      page.append(element('div', { class: 'document', tabindex: 0 }, element('pre', {}, shown)));
    }
    return { statistics: {}, omitted: [] };
  },
};

/** @throws Unrenderable if the bytes are not text. */
function decode(bytes: Uint8Array): string {
  const isWide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (!isWide && bytes.subarray(0, 8192).includes(0)) throw new Unrenderable(messages.notText);
  return decodeText(bytes);
}

/** Indents JSON that is on a single line; other JSON keeps its author's layout. */
function indented(text: string): string {
  if (text.trimEnd().includes('\n')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
