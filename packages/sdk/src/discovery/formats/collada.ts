import type { BoundedFileReader } from '../file-reader.ts';
import { MAX_XML_BYTES } from '../xml/scan-xml.ts';
import type { FileFacts, Reference } from './format.ts';
import { percentDecoded } from './percent.ts';

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Reads COLLADA. Such a file is mostly numbers, so it is only searched for the elements that name images: `<init_from>`
 * with text in 1.4, with a `<ref>` in 1.5. Surfaces and effects have elements of that name too, with ids of images.
 */
export function readCollada(file: BoundedFileReader): FileFacts {
  const text = new TextDecoder('utf-8').decode(file.whole(4 * MAX_XML_BYTES));
  const references: Reference[] = [];
  const start = text.indexOf('<library_images');
  const end = start < 0 ? -1 : text.indexOf('</library_images', start);
  if (end > start) {
    const library = text.slice(start, end).replace(/<!--[\s\S]*?-->/g, '');
    for (const [, written = ''] of library.matchAll(/<(?:init_from|ref)(?:\s[^<>]*)?>([^<]+)</g)) {
      const name = percentDecoded(
        written.trim().replace(/&(amp|lt|gt|quot|apos);/g, (all, entity: string) => ENTITIES[entity] ?? all),
      );
      if (name !== '' && !name.startsWith('data:')) references.push({ text: name, role: 'texture' });
    }
  }
  return { type: 'collada', certain: /<COLLADA[\s>]/.test(text.slice(0, 64 * 1024)), references };
}
