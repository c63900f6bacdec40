import type { CommandCompletions, OptionWord, Word } from './completions.ts';

/** Returns the completion script of a shell. It contains every word itself, so that completing starts no program. */
export function completionScript(
  shell: 'bash' | 'zsh' | 'fish',
  places: readonly CommandCompletions[],
): string {
  switch (shell) {
    case 'bash':
      return bashScript(places);
    case 'zsh':
      return zshScript(places);
    case 'fish':
      return fishScript(places);
  }
}

const WORDS_BEFORE_CURSOR = `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`;

export function bashScript(places: readonly CommandCompletions[]): string {
  const branches = places.map(({ path, words, options }) => {
    const names = words.map(({ text }) => text).join(' ');
    const flags = options.map(({ text }) => text).join(' ');
    return `    "${path.join(' ')}") words="${names}"; options="${flags}" ;;`;
  });
  return `# bash completion for bindery
_bindery() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words="" options=""
${commandPathCode(WORDS_BEFORE_CURSOR, places)}
  COMPREPLY=()
  case "$place $previous" in
${choiceBranches(places, (values) => `COMPREPLY=($(compgen -W "${values}" -- "$current"))`)}
  esac
  case $previous in
    ${valueOptions(places)}) compopt -o default; return ;;
  esac
  case $place in
${branches.join('\n')}
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    compopt -o default
  fi
}
complete -F _bindery bindery
`;
}

export function fishScript(places: readonly CommandCompletions[]): string {
  const lines = places.flatMap(({ path, words, options }) => {
    const names = words.map(({ text }) => text);
    const here = condition(path, names);
    return [
      ...words.map(
        ({ text, summary }) => `complete -c bindery -n '${here}' -f -a '${text}' -d '${quote(summary)}'`,
      ),
      ...options.map((option) => optionLine(option, condition(path, []))),
    ];
  });
  return `# fish completion for bindery\n${lines.join('\n')}\n`;
}

/** Returns a condition that is true after the words of the path, and before any of those that can follow. */
function condition(path: readonly string[], following: readonly string[]): string {
  const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`);
  const none = following.length > 0 ? [`not __fish_seen_subcommand_from ${following.join(' ')}`] : [];
  return [...seen, ...none].join('; and ') || 'true';
}

function optionLine({ text, summary, values }: OptionWord, here: string): string {
  const name = text.startsWith('--') ? `-l '${text.slice(2)}'` : `-s '${text.slice(1)}'`;
  return `complete -c bindery -n '${here}' ${name}${valuePart(values)} -d '${quote(summary)}'`;
}

function valuePart(values: OptionWord['values']): string {
  if (values === null) return '';
  return values.length > 0 ? ` -x -a '${values.join(' ')}'` : ' -r';
}

/** Makes text safe to put between single quotes. */
function quote(text: string): string {
  return text.replaceAll("'", '’');
}

const ZSH_WORDS_BEFORE_CURSOR = `\${words[2,CURRENT-1]}`;

export function zshScript(places: readonly CommandCompletions[]): string {
  const branches = places.map(
    ({ path, words, options }) =>
      `    "${path.join(' ')}") names=(${described(words)}); flags=(${described(options)}) ;;`,
  );
  return `#compdef bindery
# zsh completion for bindery
_bindery() {
  local -a names flags
  local current=\${words[CURRENT]} previous=\${words[CURRENT-1]}
${commandPathCode(ZSH_WORDS_BEFORE_CURSOR, places)}
  case "$place $previous" in
${choiceBranches(places, (values) => `compadd -- ${values}`)}
  esac
  case $previous in
    ${valueOptions(places)}) _files; return ;;
  esac
  case $place in
${branches.join('\n')}
  esac
  if [[ $current == -* ]]; then
    _describe option flags
  elif (( $#names )); then
    _describe command names
  else
    _files
  fi
}
if [[ $funcstack[1] == _bindery ]]; then _bindery "$@"; else compdef _bindery bindery; fi
`;
}

/** Returns words with their summaries, as `_describe` takes them. */
function described(words: readonly Word[]): string {
  return words.map(({ text, summary }) => `'${text}:${summary.replaceAll("'", '’')}'`).join(' ');
}

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
