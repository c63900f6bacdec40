import { Parser } from 'htmlparser2';

/** An element of an SVG, with the ids of the elements that it draws again. */
interface Part {
  readonly children: Part[];
  readonly references: string[];
}

/** Deeper than any real drawing; elements within elements and references to references alike. */
const MAX_DEPTH = 1000;

/**
 * Counts the elements that an SVG draws, where each reference of a `<use>`, or to a pattern, mask, marker, clip path or
 * filter, counts as the elements that it leads to: a few lines of references to references can draw billions. Infinity
 * if they are nested deeper than any real drawing.
 */
export function countDrawnElements(svg: string): number {
  const root: Part = { children: [], references: [] };
  const open: Part[] = [root];
  const named = new Map<string, Part>();
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const part: Part = { children: [], references: referencesOf(name, attributes) };
        if (attributes.id !== undefined && !named.has(attributes.id)) named.set(attributes.id, part);
        open.at(-1)?.children.push(part);
        if (open.push(part) > MAX_DEPTH) parser.pause();
      },
      onclosetag: () => void open.pop(),
    },
    { xmlMode: true },
  );
  parser.end(svg);
  if (open.length > MAX_DEPTH) return Number.POSITIVE_INFINITY;
  return countPart(root, named, new Map(), 0);
}

function referencesOf(name: string, attributes: Readonly<Record<string, string>>): string[] {
  const target = attributes.href ?? attributes['xlink:href'];
  const used = /^(.*:)?use$/.test(name) && target?.startsWith('#') ? [target.slice(1)] : [];
  const painted = Object.values(attributes).flatMap((value) => [
    ...value.matchAll(/url\(\s*["']?#([^"')]+)/g),
  ]);
  return [...used, ...painted.map(([, id = '']) => id)];
}

function countPart(
  part: Part,
  named: ReadonlyMap<string, Part>,
  counts: Map<Part, number>,
  depth: number,
): number {
  if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
  const known = counts.get(part);
  if (known !== undefined) return known;
  // Browsers do not draw what refers to itself.
  counts.set(part, 0);
  const drawn = part.references.map((id) => named.get(id)).filter((other) => other !== undefined);
  const count = [...part.children, ...drawn].reduce(
    (sum, other) => sum + countPart(other, named, counts, depth + 1),
    1,
  );
  counts.set(part, count);
  return count;
}
