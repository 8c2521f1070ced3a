import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** What can follow each command, by its path such as `claims sandbox`: words with their descriptions. */
function wordsByPath(command: Command, parentPath = ''): [path: string, words: [string, string?][]][] {
  const path = `${parentPath} ${command.name()}`.trim();
  const words: [string, string?][] = [
    ...command.commands.map((child): [string, string] => [child.name(), child.description()]),
    ...command.registeredArguments.flatMap(({ argChoices = [] }) =>
      argChoices.map((name): [string] => [name]),
    ),
    ...command
      .createHelp()
      .visibleOptions(command)
      .map((option): [string, string] => [option.long ?? '', option.description]),
  ];
  return [[path, words], ...command.commands.flatMap((child) => wordsByPath(child, path))];
}

/** A script with all commands, so that the shell need not start the program at each Tab. */
export function completionScript(program: Command, shell: Shell): string {
  const entries = wordsByPath(program);
  const quoted = (text: string) => `'${text.replaceAll("'", '')}'`;
  const paths = entries.slice(1).map(([path]) => quoted(path));
  if (shell === 'fish') {
    const cases = entries.map(([path, words]) => {
      const lines = words.map(([name, description = '']) => quoted(`${name}\t${description}`));
      return `        case ${quoted(path)}\n            printf '%s\\n' ${lines.join(' ')}\n`;
    });
    return `function __claims_words
    set -l at claims
    for word in (commandline -opc)[2..-1]
        switch "$at $word"
            case ${paths.join(' ')}
                set at "$at $word"
        end
    end
    switch "$at"
${cases.join('')}    end
end
complete -c claims -n '__claims_words | string match -qv -- "--*"' -f
complete -c claims -a '(__claims_words)'
`;
  }
  const cases = entries.map(
    ([path, words]) => `    ${quoted(path)}) next=${quoted(words.map(([name]) => name).join(' '))} ;;\n`,
  );
  return `${shell === 'zsh' ? 'autoload -U +X compinit bashcompinit && compinit && bashcompinit\n' : ''}_claims() {
  local at=claims next='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${paths.join('|')}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at" in
${cases.join('')}  esac
  local word="\${COMP_WORDS[COMP_CWORD]}"
  # Options only after a dash; otherwise files come where no word fits.
  [[ $word == -* ]] || { next=" $next"; next="\${next%% --*}"; }
  COMPREPLY=($(compgen -W "$next" -- "$word"))
}
complete -o default -F _claims claims
`;
}
