# Tests that the documents name the versions of the file formats that the code writes: a change of a format that does not
# change the document that describes it fails here. ctest sets SOURCE.
set -euo pipefail
cd "${SOURCE:?the folder of the source}"

failed=0
check() { # FILE NAME DOCUMENT TEXT: the enumerator NAME of FILE is the number at the end of TEXT in DOCUMENT
    local version
    version=$(grep -oP "\b$2 = \K[0-9]+" "$1") || { echo "formats.sh: $1 has no $2" && exit 1; }
    if ! grep -qE "$4$version\b" "$3"; then
        echo "formats.sh: $1 writes version $version, but $3 does not contain '$4$version'" >&2
        failed=1
    fi
}
check drive/journal_record.c FORMAT_VERSION docs/journal.md '`vrsojrnl` · format version \(?'
check store/capsule_file.h VERSO_CAPSULE_VERSION docs/capsules.md 'format version: '
check native/budget/durable.c VERSION docs/durable.md '"vsonativ" \| version '
check native/budget/survey.c VERSION docs/durable.md '"vrsosurv" \| version '
((failed)) || echo "formats.sh: 4 formats"
exit "$failed"
