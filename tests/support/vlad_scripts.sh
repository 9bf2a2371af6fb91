# What the scripts about VLAD have in common; they source it before they go anywhere.

# A library that gcc's sanitizers or a coverage tool have changed cannot be linked into programs by clang.
can_compile() {
    [[ ${VERSO_COVERAGE:-OFF} != ON && (-z ${VERSO_SANITIZE:-} || ${CC:-} == *clang*) ]]
}

failed=0
complain() {
    echo "FAIL $*"
    failed=$((failed + 1))
}
