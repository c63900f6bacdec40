import type { CommandCompletions } from './completions.ts';
import { choiceBranches, commandPathCode, valueOptions } from './shell-cases.ts';

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
