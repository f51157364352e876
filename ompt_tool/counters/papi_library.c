/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a private copy of PAPI's library. Empty where it is built without libpapi-dev. */
#define _GNU_SOURCE
#ifdef HAVE_LIBPAPI
#include "ompt_tool/counters/papi_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/own_imports.h"
#include "analysis/base/quiet_write.h"
#include "ompt_tool/counters/library.h"

#define WHY_BYTES 160
/* replaces "lib" in the soname: same length, and not a real library's name */
#define SONAME_PREFIX "our"

const char *papi_library_name(void)
{
	static char name[32];

	snprintf(name, sizeof(name), "libpapi.so.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION),
		 PAPI_VERSION_MINOR(PAPI_VERSION));
	return name;
}

/* ------------------------------------------------------------- a copy of it */

/* A shared object in memory. */
struct image {
	uint8_t *bytes;
	size_t size;
};

/* Bytes [offset, offset + size) of it; NULL: it ends before. */
static void *part(const struct image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->size && size <= image->size - offset ? image->bytes + offset : NULL;
}

static const ElfW(Phdr) * segment(const struct image *image, uint32_t type, uint64_t address)
{
	const ElfW(Ehdr) *header = part(image, 0, sizeof(*header));
	const ElfW(Phdr) *segments = header ? part(image, header->e_phoff,
						   header->e_phnum * sizeof(*segments))
					    : NULL;

	for (size_t i = 0; segments && i < header->e_phnum; i++)
		if (segments[i].p_type == type &&
		    (type == PT_DYNAMIC || address - segments[i].p_vaddr < segments[i].p_filesz))
			return &segments[i];
	return NULL;
}

/* The value of an entry of the dynamic section; 0: there is none. */
static uint64_t dynamic_value(const struct image *image, int64_t tag)
{
	const ElfW(Phdr) *at = segment(image, PT_DYNAMIC, 0);
	const ElfW(Dyn) *dynamic = at ? part(image, at->p_offset, at->p_filesz) : NULL;

	for (size_t i = 0; dynamic && i < at->p_filesz / sizeof(*dynamic); i++)
		if (dynamic[i].d_tag == tag)
			return dynamic[i].d_un.d_val;
	return 0;
}

/* Otherwise dlopen would return this library to later callers for the original soname. */
static bool rename_image(const struct image *image)
{
	uint64_t strings = dynamic_value(image, DT_STRTAB), name = dynamic_value(image, DT_SONAME);
	const ElfW(Phdr) *at = strings && name ? segment(image, PT_LOAD, strings) : NULL;
	char *soname = at ? part(image, strings - at->p_vaddr + at->p_offset + name, strlen("lib"))
			  : NULL;

	if (!soname || memcmp(soname, "lib", strlen("lib")) != 0)
		return false;
	memcpy(soname, SONAME_PREFIX, strlen("lib"));
	return true;
}

static bool rename_file(int fd, size_t size)
{
	struct image image = { mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), size };
	bool renamed;

	if (image.bytes == MAP_FAILED)
		return false;
	renamed = rename_image(&image);
	munmap(image.bytes, size);
	return renamed;
}

/* Creates a renamed copy of the file in memory; -1: failed. */
static int copy_file(const char *path)
{
	int from = open(path, O_RDONLY | O_CLOEXEC), to = memfd_create("libpapi", MFD_CLOEXEC);
	off_t copied = 0;
	struct quiet_write quiet;
	struct stat status;
	ssize_t nr = 1;

	if (from < 0 || to < 0 || fstat(from, &status) < 0)
		nr = -1;
	/* a memfd is subject to RLIMIT_FSIZE, too */
	quiet_write_begin(&quiet);
	while (nr > 0 && copied < status.st_size)
		nr = sendfile(to, from, &copied, (size_t)(status.st_size - copied));
	quiet_write_end(&quiet, nr < 0);
	if (from >= 0)
		close(from);
	if (nr > 0 && rename_file(to, (size_t)status.st_size))
		return to;
	if (to >= 0)
		close(to);
	return -1;
}

static void *open_copy(const char *path, char *why)
{
	int fd = copy_file(path);
	char place[64];
	void *library;

	if (fd < 0) {
		snprintf(why, WHY_BYTES, "%.100s cannot be copied", path);
		return NULL;
	}
	snprintf(place, sizeof(place), "/proc/self/fd/%d", fd);
	library = own_imports_open(place);
	if (!library)
		snprintf(why, WHY_BYTES, "a copy of PAPI cannot be opened: %.110s", dlerror());
	close(fd);
	return library;
}

/* ------------------------------------------------------------------- opening */

/* Path that the dynamic linker resolves the name to. */
static bool find_file(const char *name, char *path, size_t bytes, char *why)
{
	void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
	struct link_map *map;

	if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map)) {
		snprintf(
			why, WHY_BYTES,
			"%s, with which memsearch was built, cannot be opened: install Debian's package libpapi%d.%d",
			name, PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION));
		return false;
	}
	snprintf(path, bytes, "%s", map->l_name);
	dlclose(library);
	return true;
}

/* The library is loaded already, or some version of it is in the global scope. */
static bool program_has_it(const char *name)
{
	void *library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);

	if (library)
		dlclose(library);
	return library || dlsym(RTLD_DEFAULT, "PAPI_library_init");
}

static bool find_functions(struct papi_library *papi, void *library)
{
	const struct library_function wanted[] = {
#define X(function) { "PAPI_" #function, &papi->function },
		PAPI_FUNCTIONS(X)
#undef X
	};

	return library_functions(library, wanted, sizeof(wanted) / sizeof(wanted[0]));
}

/*
 * PAPI rejects other versions than the header's with PAPI_EINVAL, without reporting its own
 * version.
 */
static bool initialise(const struct papi_library *papi, const char *path, char *why)
{
	int version = papi->library_init(PAPI_VER_CURRENT), error = PAPI_OK;

	if (version == PAPI_EINVAL || (version > 0 && version != PAPI_VER_CURRENT)) {
		snprintf(
			why, WHY_BYTES,
			"%.70s is another version of PAPI than %d.%d, with which memsearch was built: build it again",
			path, PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION));
		return false;
	}
	if (version == PAPI_VER_CURRENT)
		error = papi->thread_init((unsigned long (*)(void))pthread_self);
	if (version == PAPI_VER_CURRENT && error == PAPI_OK)
		return true;
	snprintf(why, WHY_BYTES, "PAPI does not start: %s",
		 papi->strerror(error != PAPI_OK ? error : version));
	return false;
}

const struct papi_library *papi_library_open(const char *name, char *why)
{
	static struct papi_library papi;
	char path[512];
	void *library;

	if (program_has_it(name)) {
		snprintf(
			why, WHY_BYTES,
			"the program uses PAPI itself, and only one can count with it on a thread: its PAPI is left to it");
		return NULL;
	}
	library = find_file(name, path, sizeof(path), why) ? open_copy(path, why) : NULL;
	if (!library)
		return NULL;
	if (!find_functions(&papi, library))
		snprintf(why, WHY_BYTES, "%.100s lacks functions that PAPI should have", path);
	else if (initialise(&papi, path, why))
		return &papi;
	dlclose(library);
	return NULL;
}
#endif
