/** What each shell reads. They only ask the program what fits, so that they know what the installed version knows. */
export const scripts = {
  bash: `# bash completion for autoresearch: source <(autoresearch completion bash)
_autoresearch() {
  local line="\${COMP_LINE:0:COMP_POINT}" words=() current cut offer paths=''
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=('')
  current="\${words[\${#words[@]}-1]}"
  # Bash breaks words at : and =, and replaces only what follows the last of them.
  cut="\${current%"\${current##*[:=]}"}"
  COMPREPLY=()
  while IFS=$'\\t' read -r offer _; do
    case "$offer" in
      :files) paths=-f ;;
      :folders) paths=-d ;;
      "$current"*) COMPREPLY+=("\${offer#"$cut"}") ;;
    esac
  done < <("\${words[0]}" completion --offer -- "\${words[@]:1}" 2> /dev/null)
  if [[ -n "$paths" ]]; then
    compopt -o filenames 2> /dev/null
    while IFS= read -r offer; do COMPREPLY+=("$offer"); done < <(compgen "$paths" -- "$current")
  fi
  if [[ "\${#COMPREPLY[@]}" -eq 1 && "\${COMPREPLY[0]}" == *= ]]; then compopt -o nospace 2> /dev/null; fi
}
complete -F _autoresearch autoresearch
`,
  zsh: `#compdef autoresearch
# zsh completion for autoresearch: autoresearch completion zsh > "\${fpath[1]}/_autoresearch"
_autoresearch() {
  local value about paths
  local -a offers open
  while IFS=$'\\t' read -r value about; do
    case "$value" in
      :files) paths=files ;;
      :folders) paths=folders ;;
      *=) open+=("\${value//:/\\\\:}:$about") ;;
      *) offers+=("\${value//:/\\\\:}:$about") ;;
    esac
  done < <("\${words[1]}" completion --offer -- "\${(@)words[2,CURRENT]}" 2> /dev/null)
  (( $#offers )) && _describe -t values value offers
  (( $#open )) && _describe -t values value open -S ''
  case "$paths" in
    files) _files ;;
    folders) _files -/ ;;
  esac
}
if [ "$funcstack[1]" = _autoresearch ]; then _autoresearch "$@"; else compdef _autoresearch autoresearch; fi
`,
  fish: `# fish completion for autoresearch: autoresearch completion fish | source
function __autoresearch_offers
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    for line in ($program completion --offer -- $words "$current" 2> /dev/null)
        switch $line
            case :files
                __fish_complete_path "$current"
            case :folders
                __fish_complete_directories "$current" ''
            case '*'
                echo $line
        end
    end
end
complete -c autoresearch -f -a '(__autoresearch_offers)'
`,
} as const;
