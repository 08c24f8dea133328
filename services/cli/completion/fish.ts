import type { Step, Word } from './words.ts';

export function fishScript(steps: readonly Step[]): string {
  const cases = steps.map(
    ({ path, words }) => `        case '${path}'\n            ${words.length === 0 ? 'true' : listOf(words)}`,
  );
  return `# flagmeter completion fish
function __flagmeter_entries
    switch "$argv[1]"
${cases.join('\n')}
        case '*'
            return 1
    end
end

function __flagmeter_complete
    set -l path ''
    set -l last ''
    for word in (commandline -opc)[2..]
        set last (string trim "$path $word")
        if not string match -q -- '-*' $word; and __flagmeter_entries $last >/dev/null
            set path $last
        end
    end
    test -n "$last"; and __flagmeter_entries $last; or __flagmeter_entries $path
end

complete -c flagmeter -a '(__flagmeter_complete)'`;
}

function listOf(words: readonly Word[]): string {
  return `printf '%s\\t%s\\n' ${words.map(entryOf).join(' ')}`;
}

function entryOf({ word, description }: Word): string {
  return [word, description].map(quote).join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
