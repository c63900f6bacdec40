/** Lines of a text that can be points. */
const SAMPLE = 50;
const COMMENT = /^(?:#|\/\/|;)/;

/** How the points of a text of numbers (XYZ, PTS) are written. */
export interface PointLines {
  /** Bytes before the first point. */
  readonly start: number;
  /** Numbers on each line. */
  readonly columns: number;
}

/**
 * Finds points in the beginning of a text: lines with at least three numbers each, behind comments and at most one line
 * with the count. Undefined for other texts, such as molecules (XYZ) and landmarks of faces (PTS).
 */
export function pointLines(head: Uint8Array): PointLines | undefined {
  const text = new TextDecoder('latin1').decode(head);
  let found: PointLines | undefined;
  let hasCount = false;
  let sampled = 0;
  for (const line of text.matchAll(/[^\n]+/g)) {
    const end = line.index + line[0].length;
    const isCut = end === text.length && sampled > 0;
    if (isCut || sampled === SAMPLE) break;
    const row = line[0].trim();
    if (row === '' || COMMENT.test(row)) continue;
    const words = row.split(/[\s,;]+/).filter(Boolean);
    const numbers = words.filter((word) => !Number.isNaN(Number(word)) || /^-?nan$/i.test(word));
    if (numbers.length < words.length) return undefined;
    if (found === undefined && words.length === 1 && !hasCount) {
      hasCount = true;
      continue;
    }
    if (words.length < 3 || (found !== undefined && words.length !== found.columns)) return undefined;
    found ??= { start: line.index, columns: words.length };
    sampled++;
  }
  return found;
}
