const PROLOG = /<!--[\s\S]*?(?:-->|$)|<\?[\s\S]*?(?:\?>|$)|<!DOCTYPE[^<>[]*(?:\[[^\]]*\][^>]*)?>/g;

/** Returns the name of a document's root element, given the head of its text; null if the head does not contain one. */
export function xmlRoot(head: string): string | null {
  return /<([A-Za-z_][\w.:-]*)/.exec(head.replace(PROLOG, ''))?.[1] ?? null;
}
