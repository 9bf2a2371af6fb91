# Functions that the scripts about VLAD share. They source this file before they change the directory.

# A library that gcc's sanitizers or a coverage tool have changed cannot be linked into programs by clang.
can_compile() {
    [[ ${VERSO_COVERAGE:-OFF} != ON && (-z ${VERSO_SANITIZE:-} || ${CC:-} == *clang*) ]]
}

failed=0
complain() {
    echo "FAIL $*"
    failed=$((failed + 1))
}
