
# The package bash-completion has these two functions. They are here for shells without it.

# __halfpeak_words sets words, cword, cur and prev from the line up to the cursor, in which "=" and
# ":" do not divide words, while blanks do.
__halfpeak_words()
{
    if declare -F _get_comp_words_by_ref >/dev/null; then
        _get_comp_words_by_ref "$@"
        return
    fi
    local line=${COMP_LINE:0:COMP_POINT} i word blanks
    words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        blanks=${line%%[![:space:]]*}
        line=${line:${#blanks}}
        word=${COMP_WORDS[i]}
        word=${word:0:${#line}}
        line=${line:${#word}}
        if [[ -z $blanks && $i -gt 0 && ($word == *[=:]* || ${words[${#words[@]}-1]} == *[=:]) ]]; then
            words[${#words[@]}-1]+=$word
        else
            words[${#words[@]}]=$word
        fi
    done
    cword=$((${#words[@]} - 1))
    cur=${words[cword]}
    prev=
    if ((cword > 0)); then prev=${words[cword - 1]}; fi
}

# __halfpeak_filedir completes names of files, or with -d of folders.
__halfpeak_filedir()
{
    if declare -F _filedir >/dev/null; then
        _filedir "$@"
        return
    fi
    local kind=-f name
    if [[ $1 == -d ]]; then kind=-d; fi
    COMPREPLY=()
    while IFS= read -r name; do COMPREPLY[${#COMPREPLY[@]}]=$name; done < <(compgen "$kind" -- "$cur")
    if [[ $(type -t compopt) == builtin ]]; then compopt -o filenames 2>/dev/null; fi
}
