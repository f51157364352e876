/* SPDX-License-Identifier: Apache-2.0 */
/* Which libraries are followed because the user said so. */
#include "analysis/options/followed.h"

#include <string.h>

#include "analysis/base/base_name.h"

static const char *const refused[] = {
	"libc",   "ld",         "ld-linux",     "ld-linux-x86-64", "ld-linux-aarch64",
	"ld64",   "libpthread", "libdl",        "librt",           "libgomp",
	"libomp", "libiomp5",   "libmemsearch", "memsearch-core",
};

static const char *followed = "";

/* Whether a file's name is `name`, and after that its version. */
static bool is_version_of(const char *file, size_t bytes, const char *name, size_t length)
{
	return bytes >= length && !strncmp(file, name, length) &&
	       (bytes == length || file[length] == '.' || file[length] == '-');
}

bool followed_is_refused(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (is_version_of(name, length, refused[i], strlen(refused[i])))
			return true;
	return false;
}

void followed_set(const char *names)
{
	followed = names;
}

bool followed_has(const char *path)
{
	const char *file = base_name(path);

	for (const char *name = followed; *name;) {
		size_t length = strcspn(name, ",");

		if (length && is_version_of(file, strlen(file), name, length) &&
		    !followed_is_refused(file, strlen(file)))
			return true;
		name += length + (name[length] == ',');
	}
	return false;
}

size_t followed_name(const char *path, const char **name_out)
{
	const char *file = base_name(path);

	*name_out = file;
	return followed_is_refused(file, strlen(file)) || file[0] == '[' ? 0 : strcspn(file, ".");
}
