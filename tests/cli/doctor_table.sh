# SPDX-License-Identifier: Apache-2.0
# The table in docs/setups.md of supported and refused set-ups is the one that `memsearch doctor` judges by.
memsearch doctor --table > wanted
sed -n '/^| set-up |/,/^$/p' "$TESTS/../docs/setups.md" | sed '/^$/d' > found
diff found wanted && [ -s found ] && echo "the same"
