import { isMap, isScalar, isSeq, parseDocument, type YAMLSeq } from 'yaml';
import { parseAssetsFile } from './assets-file.ts';
import { formatUse, parseUse, type Use } from './use.ts';

/**
 * Adds a use to the text of an `assets.yml` (null: no file yet); comments and order are preserved. Returns the same
 * text if the use is already there. Throws `ProjectFileError` if the file is invalid, or would be with the use.
 */
export function withUse(text: string | null, use: Use): string {
  const written = formatUse(use);
  if (text !== null && parseAssetsFile(text).uses.some((other) => formatUse(other) === written)) return text;
  const document = parseDocument(text ?? '', { prettyErrors: false });
  const item = use.as === null ? written : { use: formatUse({ ...use, as: null }), as: use.as };
  const items = document.get('assets');
  if (isSeq(items)) {
    items.flow = false;
    document.addIn(['assets'], document.createNode(item));
  } else document.set('assets', document.createNode([item]));
  const next = textOf(document, text ?? '');
  parseAssetsFile(next);
  return next;
}

/**
 * Removes the uses that `meant` names: by their name in the project, or by the use itself, with or without its release.
 * Returns the new text and the removed uses. Throws `ProjectFileError`.
 */
export function withoutUse(text: string, meant: string): { text: string; removed: string[] } {
  parseAssetsFile(text);
  const document = parseDocument(text, { prettyErrors: false });
  const items = document.get('assets');
  const removed: string[] = [];
  if (isSeq(items)) {
    for (let at = items.items.length - 1; at >= 0; at--) {
      const use = useAt(items, at);
      if (use === null || !matchesUse(use, meant)) continue;
      removed.unshift(formatUse(use));
      items.delete(at);
    }
  }
  if (removed.length === 0) return { text, removed };
  if (isSeq(items) && items.items.length === 0) items.flow = true;
  return { text: textOf(document, text), removed };
}

function useAt(items: YAMLSeq, at: number): Use | null {
  const item = items.items[at];
  if (isMap(item)) {
    const as = item.get('as');
    return parseUse(String(item.get('use')), as === undefined ? null : String(as));
  }
  return isScalar(item) ? parseUse(String(item.value)) : null;
}

function matchesUse(use: Use, meant: string): boolean {
  const { library, selector, as } = use;
  const plain = formatUse({ ...use, as: null });
  const anyRelease = formatUse({ ...use, library: { ...library, release: undefined }, as: null });
  const name = as ?? (selector.by === 'id' ? selector.id : null);
  return [formatUse(use), plain, anyRelease, name].includes(meant);
}

/**
 * Returns the text in its previous formatting, as far as possible: lines unfolded, lists padded as before. A mapping in
 * braces becomes one of lines, since a use in braces (`{assets: [a/b?tag=c]}`) is not the same to all readers of YAML.
 */
function textOf(document: ReturnType<typeof parseDocument>, before: string): string {
  if (isMap(document.contents)) document.contents.flow = false;
  return document.toString({ lineWidth: 0, flowCollectionPadding: /[[{] \S/.test(before) });
}
