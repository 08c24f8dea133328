import type { Step, Word } from './words.ts';

export function zshScript(steps: readonly Step[]): string {
  const cases = steps.map(({ path, words }) => `    '${path}') entries=(${words.map(entryOf).join(' ')}) ;;`);
  return `#compdef flagmeter
_flagmeter_entries() {
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}

_flagmeter() {
  local -a entries
  local prefix='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ "$word" != -* ]] && _flagmeter_entries "\${prefix:+$prefix }$word" && prefix="\${prefix:+$prefix }$word"
  done
  _flagmeter_entries "\${prefix:+$prefix }\${words[CURRENT-1]}" || _flagmeter_entries "$prefix"
  _describe 'flagmeter' entries || _files
}

if [[ "\${funcstack[1]}" = _flagmeter ]]; then _flagmeter "$@"; else compdef _flagmeter flagmeter; fi`;
}

/** In an entry, a colon ends the word. */
function entryOf({ word, description }: Word): string {
  return `'${`${word.replaceAll(':', String.raw`\:`)}:${description}`.replaceAll("'", String.raw`'\''`)}'`;
}
