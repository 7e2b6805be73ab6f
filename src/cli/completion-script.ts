/**
 * Completion for bash. Not the package's own script (@bomb.sh/tab 0.0.22): that one evaluates the words of the line, so
 * a `$(…)` that is only being typed would run at Tab; it needs the bash-completion package, which a plain Debian lacks;
 * and a second reading fails at its `readonly` variables.
 */
export const BASH_SCRIPT = `# bash completion for cbos
_cbos() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            :0) compopt -o default ;;
            :*) ;;
            *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
        esac
    done < <(cbos complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _cbos cbos`;
