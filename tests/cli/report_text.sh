#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
memsearch report "$TESTS/experiments/sample.ms"
memsearch report "$TESTS/experiments/clean.ms"
