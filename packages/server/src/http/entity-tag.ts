/** An entity tag in a list of RFC 9110, section 8.8.3: it can contain commas, but no quotes. */
const ENTITY_TAG = /(?:W\/)?"[^"]*"/g;

/** Whether an `If-None-Match` header names this entity tag, by the weak comparison, or any. */
export function isNoneMatch(header: string, tag: string): boolean {
  return tagsOf(header).some((candidate) => candidate === '*' || opaque(candidate) === opaque(tag));
}

/** Whether an `If-Match` header names this entity tag, by the strong comparison, or any. A weak tag never matches. */
export function isMatch(header: string, tag: string): boolean {
  return tagsOf(header).some((candidate) => candidate === '*' || (candidate === tag && !isWeak(tag)));
}

function tagsOf(header: string): string[] {
  return header.trim() === '*' ? ['*'] : (header.match(ENTITY_TAG) ?? []);
}

function opaque(tag: string): string {
  return isWeak(tag) ? tag.slice(2) : tag;
}

function isWeak(tag: string): boolean {
  return tag.startsWith('W/');
}
