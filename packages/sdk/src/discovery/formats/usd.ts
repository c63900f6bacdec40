import type { Reference } from '@bindery/formats';
import type { BoundedFileReader } from '../file-reader.ts';
import type { FileFacts } from './format.ts';

const MAX_BYTES = 16 * 1024 * 1024;

/** Reads USD as text (`#usda`), crate (`PXR-USDC`) or archive. Only text has readable references. */
export function readUsd(file: BoundedFileReader): FileFacts {
  const head = new TextDecoder('latin1').decode(file.head(8));
  if (!head.startsWith('#usda')) {
    const certain = head.startsWith('PXR-USDC') || head.startsWith('PK\u0003\u0004');
    return { type: 'usd', certain, references: [], isBinary: true };
  }
  const text = new TextDecoder().decode(file.whole(MAX_BYTES));
  const references: Reference[] = [];
  for (const [, name = ''] of text.matchAll(/@([^@\r\n]{1,1024})@/g)) {
    // Renderers find their own materials (MDL).
    if (!/\.mdl$/i.test(name)) references.push({ text: name, role: roleOf(name) });
  }
  return { type: 'usd', certain: true, references };
}

function roleOf(name: string): Reference['role'] {
  return /\.usd[acz]?(?:\[.*\])?$/i.test(name) ? 'include' : 'texture';
}
