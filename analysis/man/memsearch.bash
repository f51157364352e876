# SPDX-License-Identifier: Apache-2.0
# bash completion of memsearch: the program itself knows what can follow.
_memsearch()
{
	local IFS=$'\n' word=${COMP_WORDS[COMP_CWORD]} offered

	offered=$("${COMP_WORDS[0]}" --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
	case $offered in
	:files)
		compopt -o filenames 2> /dev/null
		offered=$(compgen -f -- "$word") ;;
	:records)
		compopt -o filenames 2> /dev/null
		offered=$(compgen -d -- "$word"; compgen -f -X '!*.ms' -- "$word"; compgen -f -X '!*.db' -- "$word") ;;
	esac
	COMPREPLY=($offered)
}
complete -F _memsearch memsearch
