#compdef roget
# zsh completion for roget
_roget() {
    local -a candidates
    local line word tab=$'\t'
    while IFS= read -r line; do
        word=${line%%$tab*}
        word=${word//:/\\:}
        [[ $line == *$tab* ]] && word+=":${line#*$tab}"
        candidates+=("$word")
    done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
    if (( ${#candidates} )); then
        _describe roget candidates
    else
        _files
    fi
}
# In a folder of fpath, zsh runs this file as the body of _roget when it is first needed.
if [[ ${funcstack[1]} == _roget ]]; then
    _roget "$@"
else
    compdef _roget roget
fi
