# SPDX-License-Identifier: Apache-2.0
# fish completion of memsearch: the program itself knows what can follow.
function __memsearch_offered
	set -l words (commandline -opc) (commandline -ct)
	set -l offered (command $words[1] --complete $words[2..] 2>/dev/null)

	switch "$offered[1]"
		case :files
			__fish_complete_path (commandline -ct)
		case :records
			__fish_complete_suffix .ms
			__fish_complete_suffix .db
		case '*'
			printf '%s\n' $offered
	end
end
complete -c memsearch -f -a '(__memsearch_offered)'
