import type { CommandCompletions } from './completions.ts';

/**
 * Returns shell code for bash and zsh that puts the words of the command so far into `$place` ("library pull").
 * `before` is the shell's expression for the words between the program and the cursor.
 */
export function commandPathCode(before: string, places: readonly CommandCompletions[]): string {
  const groups = places.filter(({ path, words }) => path.length === 1 && words.length > 0);
  const names = groups.map(({ path }) => path[0]).join('|') || 'none';
  return `  local place="" skip="" word
  for word in ${before}; do
    if [[ -n $skip ]]; then skip=""; continue; fi
    case $word in
      ${valueOptions(places)}) skip=1 ;;
      -*) ;;
      *) case $place in
        "") place=$word ;;
        ${names}) place="$place $word" ;;
      esac ;;
    esac
  done`;
}

/** Returns every option that takes a value, as a pattern of `case`. */
export function valueOptions(places: readonly CommandCompletions[]): string {
  const taking = places.flatMap(({ options }) => options).filter(({ values }) => values !== null);
  return [...new Set(taking.map(({ text }) => text))].join('|');
}

/** Returns a branch of `case "$place $previous"` for each option that has only a few valid values. */
export function choiceBranches(
  places: readonly CommandCompletions[],
  complete: (values: string) => string,
): string {
  const branches = places.flatMap(({ path, options }) =>
    options.flatMap(({ text, values }) =>
      values && values.length > 0
        ? [`    "${[...path, text].join(' ')}") ${complete(values.join(' '))}; return ;;`]
        : [],
    ),
  );
  return branches.join('\n');
}
