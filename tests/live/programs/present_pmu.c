/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To be preloaded, with libpfm.so.4 behind it: presents the kernel's software events as a PMU of type core, without which PAPI 7.0
 * counts nothing (virtual machines), and hides what libpfm4 takes a CPU of that family to have, which a virtual machine need not.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <perfmon/pfmlib.h>
#include <string.h>

pfm_err_t pfm_get_pmu_info(pfm_pmu_t pmu, pfm_pmu_info_t *info)
{
	static __typeof__(pfm_get_pmu_info) *real;
	pfm_err_t error;

	if (!real)
		real = dlsym(RTLD_NEXT, "pfm_get_pmu_info");
	error = real(pmu, info);
	if (error == PFM_SUCCESS && info->type != PFM_PMU_TYPE_OS_GENERIC)
		info->is_present = 0;
	if (error == PFM_SUCCESS && strcmp(info->name, "perf") == 0)
		info->type = PFM_PMU_TYPE_CORE;
	return error;
}
