#compdef memsearch
# SPDX-License-Identifier: Apache-2.0
# zsh completion of memsearch: the program itself knows what can follow.
_memsearch()
{
	local -a offered

	offered=("${(@f)$(${words[1]} --complete "${(@)words[2,CURRENT]}" 2> /dev/null)}")
	case $offered[1] in
	:files) _files ;;
	:records) _files -g '*.(ms|db)' ;;
	*) compadd -- $offered ;;
	esac
}
_memsearch "$@"
