/**
 * The completion script for bash. It replaces the package's own script (@bomb.sh/tab 0.0.22), which has three problems.
 * It evaluates the words on the line, so pressing Tab would execute a `$(…)` that is still being typed. It needs the
 * bash-completion package, which a minimal Debian lacks. And it fails when it is loaded a second time, because its
 * variables are `readonly`.
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
