import type { Step } from './words.ts';

/** Bash shows no descriptions. Words of commands and options have no character that a shell would interpret. */
export function bashScript(steps: readonly Step[]): string {
  const cases = steps.map(
    ({ path, words }) => `    '${path}') words='${words.map(({ word }) => word).join(' ')}' ;;`,
  );
  return `# flagmeter completion bash
_flagmeter_words() {
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}

_flagmeter() {
  local words='' path='' word index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    [[ "$word" != -* ]] && _flagmeter_words "\${path:+$path }$word" && path="\${path:+$path }$word"
  done
  _flagmeter_words "\${path:+$path }\${COMP_WORDS[COMP_CWORD - 1]}" || _flagmeter_words "$path"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}

complete -o default -F _flagmeter flagmeter`;
}
