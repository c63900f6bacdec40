/**
 * Returns how many edits turn one word into another: insertions, deletions, substitutions, and swaps of adjacent
 * letters (optimal string alignment; Damerau, "A technique for computer detection and correction of spelling errors",
 * CACM 7, 1964). Distances above `most` are returned as `most + 1`.
 */
export function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      let edits = Math.min(
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + (same ? 0 : 1),
      );
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (swapped) edits = Math.min(edits, (beforeLast[column - 2] as number) + 1);
      current.push(edits);
      least = Math.min(least, edits);
    }
    if (least > most) return most + 1;
    [beforeLast, last] = [last, current];
  }
  return Math.min(last[other.length] as number, most + 1);
}
