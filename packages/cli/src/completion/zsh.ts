import type { CommandCompletions, Word } from './completions.ts';
import { choiceBranches, commandPathCode, valueOptions } from './shell-cases.ts';

const WORDS_BEFORE_CURSOR = `\${words[2,CURRENT-1]}`;

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
${commandPathCode(WORDS_BEFORE_CURSOR, places)}
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
