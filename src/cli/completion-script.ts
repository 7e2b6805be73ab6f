/**
 * The completion script for bash. It replaces the package's own script (@bomb.sh/tab 0.0.22), which has three problems.
 * It evaluates the words on the line, so pressing Tab would execute a `$(…)` that is still being typed. It needs the
 * bash-completion package, which a minimal Debian lacks. And it fails when it is loaded a second time, because its
 * variables are `readonly`.
 */
export const BASH_SCRIPT = `# bash completion for cbos
_cbos() {
    local line word last=-1 cut= words=()
    COMPREPLY=()
    # For bash, a word ends at each =.
    for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
        if [[ $last -ge 0 && ($word == = || \${words[last]} == *=) ]]; then
            words[last]+=$word
        else
            words[++last]=$word
        fi
    done
    [[ $last -ge 0 && \${words[last]} == *=* ]] && cut=\${words[last]%"\${words[last]##*=}"}
    while IFS= read -r line; do
        case $line in
            :0) compopt -o default ;;
            :*) ;;
            *)
                line=\${line%%$'\\t'*}
                COMPREPLY+=("\${line#"$cut"}")
                [[ $line == *= ]] && compopt -o nospace
                ;;
        esac
    done < <(cbos complete -- "\${words[@]}" 2>/dev/null)
}
complete -F _cbos cbos`;
