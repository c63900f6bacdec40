const PROLOG = /<!--[\s\S]*?(?:-->|$)|<\?[\s\S]*?(?:\?>|$)|<!DOCTYPE[^<>[]*(?:\[[^\]]*\][^>]*)?>/g;

/** The name of a document's root element, from the head of its text; null where the head shows none. */
export function xmlRoot(head: string): string | null {
  return /<([A-Za-z_][\w.:-]*)/.exec(head.replace(PROLOG, ''))?.[1] ?? null;
}
