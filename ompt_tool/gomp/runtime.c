/* SPDX-License-Identifier: Apache-2.0 */
/* Finds libgomp, starts the tool, and serves what the tool looks up. */
#define _GNU_SOURCE
#include "analysis/base/own_imports.h"
#include "ompt_tool/gomp/file_name.h"
#include "ompt_tool/gomp/gomp.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define TOOL "libmemsearch.so"
#define OMP_VERSION 201811 /* OpenMP 5.0: the level of these events */

struct gomp_entries libgomp;
__thread struct gomp_thread gomp_self_;
ompt_callback_t gomp_callbacks[GOMP_CALLBACKS];
int gomp_state;
bool gomp_rests;
gomp_releasing *gomp_before_release;

static const char *const names[] = {
#define X(result, name, parameters) #name,
	GOMP_ENTRIES
#undef X
	"omp_get_thread_num",
	"omp_get_num_threads",
	"omp_get_level",
	"omp_get_num_places",
	"omp_get_place_num_procs",
	"omp_get_place_proc_ids",
};
enum { NAMES = sizeof(names) / sizeof(names[0]) };
_Static_assert(sizeof(struct gomp_entries) == NAMES * sizeof(void *), "one pointer for each name");

/* ------------------------------------------------------------------ libgomp */

/* On failure clears the error, so that the program's dlerror does not return it. */
static void *look_up(void *library, const char *name)
{
	void *function = dlsym(library, name);

	if (!function)
		dlerror();
	return function;
}

/*
 * If true, the library stays open: its threads run until the tool's end, which comes after the
 * program has closed its libraries.
 */
static bool lies_in_libgomp(const void *function)
{
	Dl_info info;
	void *library;

	if (!function || !dladdr(function, &info) || !gomp_is_file_name(info.dli_fname))
		return false;
	library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	/* libomp under libgomp's name */
	return library && !look_up(library, "__kmpc_fork_call");
}

struct search {
	char path[PATH_MAX];
};

static int keep_path(struct dl_phdr_info *module, size_t size, void *ctx)
{
	struct search *search = ctx;

	(void)size;
	if (!gomp_is_file_name(module->dlpi_name) ||
	    strlen(module->dlpi_name) >= sizeof(search->path))
		return 0;
	strcpy(search->path, module->dlpi_name);
	return 1;
}

/* Finds a function in a library loaded by a dlopen with RTLD_LOCAL. */
static void *find_in_loaded(const char *name)
{
	struct search search = { "" };
	void *library, *function;

	if (!dl_iterate_phdr(keep_path, &search))
		return NULL;
	library = dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD);
	function = library ? look_up(library, name) : NULL;
	if (library)
		dlclose(library);
	return function;
}

bool gomp_is_local;

static void find_entries(void)
{
	void **entries = (void **)&libgomp;

	gomp_is_local = !look_up(RTLD_NEXT, "GOMP_parallel");
	for (size_t i = 0; i < NAMES; i++)
		entries[i] = gomp_is_local ? find_in_loaded(names[i])
					   : look_up(RTLD_NEXT, names[i]);
}

/* ------------------------------------------------------------------ calls without events */

static void serial(gomp_body *body, void *data)
{
	body(data);
}

static long nothing(void)
{
	return 0;
}

static long one(void)
{
	return 1;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/*
 * A program may test by a weak reference whether there is OpenMP, and finds this library instead of
 * libgomp.
 */
static void *without_libgomp(const char *name)
{
	const char *last = strrchr(name, '_');

	if (begins(name, "GOMP_parallel") && strcmp(last, "_start") && strcmp(last, "_end"))
		return (void *)serial;
	return begins(name, "omp_get_") || begins(name, "omp_test_") ? (void *)one
								     : (void *)nothing;
}

static gomp_exchange *exchange_of; /* NULL: not set by a tool */

static void set_exchange(gomp_exchange *exchange)
{
	exchange_of = exchange;
}

gomp_body *gomp_first_body(struct gomp_thread *self, gomp_body *body)
{
	self->started = false;
	return exchange_of ? (gomp_body *)exchange_of((const void *)body) : body;
}

static gomp_original *original_of; /* NULL: not set by a tool. Atomic */

static void set_original(gomp_original *original)
{
	__atomic_store_n(&original_of, original, __ATOMIC_RELEASE);
}

/* Searches the libraries with which the caller's was loaded. */
static void *find_for(const char *name, const void *caller)
{
	gomp_original *original = __atomic_load_n(&original_of, __ATOMIC_ACQUIRE);
	void *library, *function;
	Dl_info info;

	caller = original ? original(caller) : caller;
	if (!dladdr(caller, &info) || !(library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)))
		return NULL;
	function = look_up(library, name);
	dlclose(library);
	return lies_in_libgomp(function) ? function : NULL;
}

/*
 * A cache of the last results on this thread. The functions stay valid, as lies_in_libgomp keeps
 * each libgomp loaded.
 */
enum { ANSWERS = 32 };
static __thread struct answer {
	const void *caller;
	const char *name;
	void *function;
} answers[ANSWERS] __attribute__((tls_model("initial-exec")));

static void *real_of_caller(const char *name, const void *caller)
{
	struct answer *answer = &answers[((uintptr_t)caller ^ (uintptr_t)name) / 4 % ANSWERS];

	if (answer->caller != caller || answer->name != name) {
		void *function = find_for(name, caller);

		function = function ? function : find_in_loaded(name);
		*answer = (struct answer){ caller, name,
					   function ? function : without_libgomp(name) };
	}
	return answer->function;
}

void *gomp_real(const char *name, void **entry, const void *caller)
{
	void *function = gomp_is_local ? NULL : look_up(RTLD_NEXT, name);

	if (function)
		return *entry = function;
	return real_of_caller(name, caller);
}

/* ------------------------------------------------------------------ what the tool looks up */

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
	switch (event) {
	case ompt_callback_thread_begin:
	case ompt_callback_thread_end:
	case ompt_callback_parallel_begin:
	case ompt_callback_parallel_end:
	case ompt_callback_implicit_task:
	case ompt_callback_sync_region:
	case ompt_callback_mutex_acquire:
	case ompt_callback_mutex_acquired:
	case ompt_callback_mutex_released:
	case ompt_callback_task_create:
	case ompt_callback_task_schedule:
	case ompt_callback_dispatch:
	case ompt_callback_control_tool: gomp_callbacks[event] = callback; return ompt_set_always;
	case ompt_callback_work: /* without static loops and END of single */
		gomp_callbacks[event] = callback;
		return ompt_set_sometimes;
	default: return ompt_set_never;
	}
}

static ompt_data_t *get_thread_data(void)
{
	return gomp_self_.known ? &gomp_self_.data : NULL;
}

static const void *get_outlined(void)
{
	return (const void *)gomp_self_.outlined;
}

static unsigned int get_number(void)
{
	return gomp_self_.worker ? (unsigned int)libgomp.omp_get_thread_num() : 0;
}

static void set_rest(bool rest)
{
	__atomic_store_n(&gomp_rests, rest && libgomp.omp_get_level && !gomp_is_local,
			 __ATOMIC_RELAXED);
}

static void set_releasing(gomp_releasing *releasing)
{
	gomp_before_release = releasing;
}

/* Of an implicit task in a call of libgomp; 2: all information is available, 0: no such task. */
static int get_task_info(int level, int *flags, ompt_data_t **task, ompt_frame_t **frame,
			 ompt_data_t **parallel, int *index)
{
	struct gomp_thread *self = &gomp_self_;

	if (level || !self->known || !self->frame.enter_frame.ptr ||
	    self->share.task != &self->share.implicit)
		return 0;
	*flags = ompt_task_implicit;
	*task = self->share.task;
	*frame = &self->frame;
	*parallel = self->share.team ? &self->share.team->parallel : NULL;
	*index = (int)self->share.index;
	return 2;
}

/* libgomp of GCC 5 and older has no functions to query places. */
static int get_num_places(void)
{
	return libgomp.omp_get_num_places && libgomp.omp_get_place_num_procs &&
			       libgomp.omp_get_place_proc_ids
		       ? libgomp.omp_get_num_places()
		       : 0;
}

static int get_place_proc_ids(int place, int size, int *ids)
{
	int nr = libgomp.omp_get_place_num_procs(place);

	if (nr <= size)
		libgomp.omp_get_place_proc_ids(place, ids);
	return nr <= size ? nr : 0;
}

static ompt_interface_fn_t lookup(const char *name)
{
	static const struct {
		const char *name;
		ompt_interface_fn_t function;
	} rows[] = {
		{ "ompt_set_callback", (ompt_interface_fn_t)set_callback },
		{ "ompt_get_thread_data", (ompt_interface_fn_t)get_thread_data },
		{ "ompt_get_task_info", (ompt_interface_fn_t)get_task_info },
		{ GOMP_GET_OUTLINED, (ompt_interface_fn_t)get_outlined },
		{ GOMP_GET_NUMBER, (ompt_interface_fn_t)get_number },
		{ GOMP_SET_REST, (ompt_interface_fn_t)set_rest },
		{ GOMP_SET_ORIGINAL, (ompt_interface_fn_t)set_original },
		{ GOMP_SET_EXCHANGE, (ompt_interface_fn_t)set_exchange },
		{ GOMP_SET_RELEASING, (ompt_interface_fn_t)set_releasing },
		{ "ompt_get_num_places", (ompt_interface_fn_t)get_num_places },
		{ "ompt_get_place_proc_ids", (ompt_interface_fn_t)get_place_proc_ids },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(name, rows[i].name))
			return rows[i].function;
	/* Functions of libgomp itself: the first has OMPT's type, and lies in the runtime. */
	if (!strcmp(name, "ompt_get_num_procs"))
		return (ompt_interface_fn_t)libgomp.omp_get_num_procs;
	return !strcmp(name, GOMP_SET_NUM_THREADS)
		       ? (ompt_interface_fn_t)libgomp.omp_set_num_threads
		       : NULL;
}

/* ------------------------------------------------------------------ start */

static pthread_key_t at_thread_end;

static void end_thread(void *data)
{
	struct gomp_thread *self = data;

	gomp_finish_share(self);
	GOMP_CALLBACK(thread_end, &self->data);
	self->known = false;
	if (self->open)
		munmap(self->open, GOMP_OPEN_MAX * sizeof(*self->open));
	self->open = NULL;
}

void gomp_meet(struct gomp_thread *self, ompt_thread_t type)
{
	self->known = true;
	self->worker = type == ompt_thread_worker;
	self->share.task = &self->initial;
	pthread_setspecific(at_thread_end, self);
	GOMP_CALLBACK(thread_begin, type, &self->data);
	if (type == ompt_thread_initial)
		GOMP_CALLBACK(implicit_task, ompt_scope_begin, NULL, &self->initial, 1, 1,
			      ompt_task_initial);
}

struct gomp_thread *gomp_self_look(const void *caller)
{
	struct gomp_thread *self = &gomp_self_;

	if (!self->known && !gomp_is_live())
		return NULL;
	if (gomp_is_local && gomp_real("GOMP_parallel", (void **)&libgomp.GOMP_parallel, caller) !=
				     (void *)libgomp.GOMP_parallel)
		return NULL;
	if (self->known)
		return self->share.inside ? NULL : self;
	if (libgomp.omp_get_level && libgomp.omp_get_level() > 0)
		return NULL;
	gomp_meet(self, ompt_thread_initial);
	return self;
}

typedef ompt_start_tool_result_t *start_tool_function(unsigned int omp_version,
						      const char *runtime_version);

/* The start function of the tool next to this library; NULL: there is none. */
static start_tool_function *find_tool(void)
{
	static char path[PATH_MAX]; /* the stack may be small; all threads write the same */
	const char *slash;
	Dl_info info;
	void *tool;

	if (!dladdr((void *)find_tool, &info) || !info.dli_fname)
		return NULL;
	slash = strrchr(info.dli_fname, '/');
	if (snprintf(path, sizeof(path), "%.*s" TOOL, slash ? (int)(slash + 1 - info.dli_fname) : 0,
		     info.dli_fname) >= (int)sizeof(path))
		return NULL;
	tool = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	return tool ? (start_tool_function *)look_up(tool, "memsearch_start_tool") : NULL;
}

static bool is_disabled(void)
{
	const char *tool = secure_getenv("OMP_TOOL");

	return tool && !strcmp(tool, "disabled");
}

static start_tool_function *start_tool;

/* The function that the program would get without this library. */
static void *find_libgomp(void)
{
	void *function = look_up(RTLD_NEXT, "GOMP_parallel");

	return function ? function : find_in_loaded("GOMP_parallel");
}

/* False: the program does not run on libgomp, at least not yet. */
static bool prepare(void)
{
	if (!start_tool && !is_disabled() && lies_in_libgomp(find_libgomp())) {
		find_entries();
		if (libgomp.omp_get_thread_num && libgomp.omp_get_num_threads)
			start_tool = find_tool();
	}
	return start_tool != NULL;
}

/*
 * libgomp may still be loaded later, unless another runtime is already loaded and defines its
 * functions.
 */
static bool is_never(void)
{
	return is_disabled() || look_up(RTLD_NEXT, "GOMP_parallel");
}

/* Everything is set up before another thread can send events. */
static int start(void)
{
	ompt_start_tool_result_t *tool = NULL;

	if (!prepare())
		return is_never() ? GOMP_OFF : GOMP_NOT_STARTED;
	if (!pthread_key_create(&at_thread_end, end_thread))
		tool = start_tool(OMP_VERSION, "GNU libgomp");
	return tool && tool->initialize(lookup, 0, &tool->tool_data) ? GOMP_LIVE : GOMP_OFF;
}

/* What the dynamic linker allocates meanwhile is not in the program's heap (interpose.h). */
extern const void *memsearch_own_work(const void *stack) __attribute__((weak));

static int on_own_heap(int (*what)(void))
{
	const void *before = memsearch_own_work ? memsearch_own_work((const void *)UINTPTR_MAX)
						: NULL;
	int result = what();

	if (memsearch_own_work)
		memsearch_own_work(before);
	return result;
}

/*
 * Runs `what` on the first thread that calls. No other call waits for it: other threads, and calls
 * made from within `what` (by the program's malloc, a signal handler, a constructor under the
 * dynamic linker's lock), return at once and send no events. Preserves errno.
 */
static void with_state(int (*what)(void))
{
	int none = GOMP_NOT_STARTED, error;

	own_imports_bind();
	error = errno;
	if (__atomic_compare_exchange_n(&gomp_state, &none, GOMP_STARTING, false, __ATOMIC_ACQ_REL,
					__ATOMIC_RELAXED))
		__atomic_store_n(&gomp_state, on_own_heap(what), __ATOMIC_RELEASE);
	errno = error;
}

bool gomp_start(void)
{
	with_state(start);
	return __atomic_load_n(&gomp_state, __ATOMIC_ACQUIRE) == GOMP_LIVE;
}

static int only_prepare(void)
{
	return !prepare() && is_never() ? GOMP_OFF : GOMP_NOT_STARTED;
}

/* Here, not at the first event: dlopen takes 4 KiB of stack, and a thread may have little. */
__attribute__((constructor)) static void prepare_early(void)
{
	with_state(only_prepare);
}
