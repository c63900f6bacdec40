/** So many patterns may come of one glob. */
const MAX_ALTERNATIVES = 1_000;

/** `a{b,c}` as `ab` and `ac`. Braces without a comma stand for themselves, as in a shell. Throws `RangeError`. */
export function expandBraces(glob: string): string[] {
  let expanded = [''];
  for (let at = 0; at < glob.length; ) {
    const group = glob[at] === '{' ? readGroup(glob, at) : null;
    if (group === null) {
      const length = glob[at] === '\\' ? 2 : 1;
      const literal = glob.slice(at, at + length);
      expanded = expanded.map((before) => before + literal);
      at += length;
      continue;
    }
    const choices = group.choices.flatMap(expandBraces);
    if (expanded.length * choices.length > MAX_ALTERNATIVES) {
      throw new RangeError(`its braces expand to more than ${MAX_ALTERNATIVES} patterns`);
    }
    expanded = expanded.flatMap((before) => choices.map((choice) => before + choice));
    at = group.end;
  }
  return expanded;
}

/** The choices of the group that begins at an opening brace; null where it is none. */
function readGroup(glob: string, from: number): { choices: string[]; end: number } | null {
  const choices: string[] = [];
  let depth = 0;
  let start = from + 1;
  for (let at = from; at < glob.length; at++) {
    const sign = glob[at];
    if (sign === '\\') at++;
    else if (sign === '{') depth++;
    else if (sign === ',' && depth === 1) {
      choices.push(glob.slice(start, at));
      start = at + 1;
    } else if (sign === '}' && --depth === 0) {
      if (choices.length === 0) return null;
      return { choices: [...choices, glob.slice(start, at)], end: at + 1 };
    }
  }
  return null;
}
