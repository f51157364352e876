# SPDX-License-Identifier: Apache-2.0
from spack.package import *


class Memsearch(MakefilePackage):
    """Finds why the memory of an OpenMP program is slow: property, loop, array, threads, nodes."""

    homepage = "https://memsearch.invalid"
    git = "https://memsearch.invalid/memsearch.git"
    license("Apache-2.0")

    version("0.1.0", tag="v0.1.0")

    depends_on("c", type="build")
    depends_on("llvm@19: +clang", type="build")
    depends_on("llvm-openmp@19:")
    depends_on("bison", type="build")
    depends_on("flex", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("elfutils")
    depends_on("libpfm4")
    depends_on("papi")
    depends_on("numactl")
    depends_on("hwloc@2:")
    depends_on("ncurses")
    depends_on("sqlite")
    depends_on("zstd")
    depends_on("zydis@4:", when="target=x86_64:")

    def edit(self, spec, prefix):
        pass

    @property
    def build_targets(self):
        return ["CC=" + self.spec["llvm"].prefix.bin.clang]

    @property
    def install_targets(self):
        return self.build_targets + ["PREFIX=" + self.prefix, "install"]
