#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The folders of the reference BLAS and LAPACK, separated by colons, for LD_LIBRARY_PATH: where OpenBLAS is installed, it has the name
# liblapack.so.3, too, does its work through pointers and with threads, and tests that count what is recorded would count something else.
dpkg -L libblas3 liblapack3 2> /dev/null | sed -n 's,/lib\(blas\|lapack\)\.so\.3$,,p' | paste -s -d :
