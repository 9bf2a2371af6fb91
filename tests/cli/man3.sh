# Tests the manual pages that tools/man3 writes from the public headers: each exported function, header and type has one,
# groff formats them without a warning, and links and references lead to pages that exist.
# ctest sets SOURCE.
set -euo pipefail

: "${SOURCE:?the folder of the source}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
awk -f "$SOURCE/tools/man3" "$scratch" "$SOURCE"/include/verso/*.h

failed=0
complain() {
    echo "man3.sh: $*" >&2
    failed=1
}

# ---- Pages ----

functions=$(cat "$SOURCE"/include/verso/*.h | sed -n 's/^VERSO_API [^(]*[ *]\(verso_[a-z0-9_]*\)(.*/\1/p')
for name in $functions verso_store_close verso_fixed_point verso_frozen verso_fragment_end verso_native_options verso_sink; do
    [[ -s $scratch/$name.3 ]] || complain "$name has no page"
done
for header in "$SOURCE"/include/verso/*.h; do
    [[ -s $scratch/verso_$(basename "$header").3 ]] || complain "$header has no page"
done

# ---- Links and references ----

cd "$scratch"
while IFS=: read -r page target; do
    [[ -e ${target#man3/} ]] || complain "$page is a link to $target, which does not exist"
done < <(sed -n 's/^\.so //p' ./*.3 | sort -u | sed 's/^/a page:/')
while read -r name; do
    [[ -e $name.3 ]] || complain "a page refers to $name(3), which does not exist"
done < <(grep -ohE '\\fBverso_[a-z0-9_.]+\\fP\(3\)' ./*.3 | sed 's/\\fB//; s/\\fP(3)//' | sort -u)

# ---- Contents: a function with all sections, and two functions in one page ----

expect() { # PAGE TEXT...
    local page=$1 text
    shift
    for text in "$@"; do
        grep -qF -- "$text" "$page.3" || complain "$page.3 does not have: $text"
    done
}
expect verso_run '.B #include <verso/run.h>' 'verso_status verso_run(const verso_program *program,' '.SH DESCRIPTION' \
    '.SH ERRORS' '.SH THREADS' '.SH SEE ALSO' 'VERSO_STATUS_SUSPENDED'
expect verso_kind_word 'verso_kind_word, verso_kind_meaning' 'const char *verso_kind_meaning('
expect verso_kind_meaning '.so man3/verso_kind_word.3'
expect verso_fixed_point 'uint64_t verso_fixed_point(void (*step)(void *context), void *context,'
expect verso_loop.h '} verso_loop;' 'verso_loop_program'

# ---- Format ----

if ! command -v groff >/dev/null; then
    echo "groff is missing: the format was not tested"
    exit $((failed ? 1 : 77))
fi
for page in *.3; do
    grep -q '^\.so ' "$page" && continue
    said=$(groff -man -Tutf8 -ww -z "$page" 2>&1) || complain "groff fails on $page"
    [[ -z $said ]] || complain "$said"
done
# What is neither a request nor escaped must be ASCII: not every device has other characters.
LC_ALL=C grep -lP '[^\x00-\x7F]' ./*.3 && complain "these pages have characters outside of ASCII"
((failed)) || echo "$(wc -w <<<"$functions") functions, $(find . -name '*.3' | wc -l) pages"
exit "$failed"
