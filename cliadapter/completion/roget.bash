# bash completion for roget
_roget() {
    local line word rest trimmed current words=() i
    # Bash splits words at the characters of COMP_WORDBREAKS, such as the colon in HP:0001250.
    # Words without a blank between them belong together.
    rest=$COMP_LINE
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        trimmed=${rest#"${rest%%[![:space:]]*}"}
        if ((i > 0)) && [[ $trimmed == "$rest" && -n $rest ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
        rest=${trimmed#"$word"}
    done
    current=${words[${#words[@]} - 1]}
    # Bash replaces only what comes after the last of these characters.
    local kept=${current%"${current##*[:=]}"}
    [[ $COMP_WORDBREAKS == *:* ]] || kept=${kept%"${kept##*=}"}
    COMPREPLY=()
    while IFS= read -r line; do
        line=${line%%$'\t'*}
        COMPREPLY+=("${line#"$kept"}")
    done < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
}
complete -o default -F _roget roget
