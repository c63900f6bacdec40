/** Maximum number of patterns that one glob expands to. */
const MAX_ALTERNATIVES = 1_000;

/** Expands `a{b,c}` to `ab` and `ac`. Braces without a comma are literal, as in a shell. Throws `RangeError`. */
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

/** Returns the choices of the group that starts at an opening brace; null if it does not start a group. */
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
