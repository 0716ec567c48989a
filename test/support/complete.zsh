# zsh -f complete.zsh SCRIPT LINE: prints what LINE is after the tab key, in a real zsh at a terminal of its own.
zmodload zsh/zpty
zpty shell 'TERM=dumb zsh -f -i'
zpty -w shell "PS1='' PS2=''; autoload -Uz compinit; compinit -u -D; source ${(q)1}"
zpty -w shell 'tab-and-tell() { zle complete-word; print -r -- "<<$BUFFER>>" }; zle -N tab-and-tell; bindkey "^I" tab-and-tell'
zpty -w shell "print re''ady"
zpty -r shell out '*ready*'
zpty -w -n shell "$2"$'\t'
zpty -r shell out '*<<*>>*'
print -r -- "${${out##*<<}%%>>*}"
zpty -d shell
