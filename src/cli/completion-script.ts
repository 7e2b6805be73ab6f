/**
 * Completion for bash. The package's own script (@bomb.sh/tab 0.0.22) is not used for three reasons. It evaluates the
 * words of the line, so pressing Tab would run a `$(…)` that is still being typed. It needs the bash-completion
 * package, which a plain Debian lacks. It cannot be loaded a second time, because its `readonly` variables then cause
 * errors.
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
