# Tests that the binary interface of libverso.so is the one in tests/data/abi: programs that were compiled with an
# earlier library of the same version must run with this one. It compares
#   symbols       the exported functions with their versions (cmake/libverso.map)
#   declarations  the public declarations after preprocessing
#   layouts       the size of each public struct, the offset and size of each member, the value of each enumerator
#   macros        the public macros that programs have compiled in
# and checks that cmake/libverso.map lists exactly the functions that the headers mark with VERSO_API.
#
# ctest sets SOURCE, BUILD and CC. After a deliberate change `bash tests/cli/abi.sh --write` updates the four files.
set -euo pipefail

: "${SOURCE:?the folder of the source}" "${BUILD:?the folder of the build}" "${CC:?the C compiler}"
export LC_ALL=C
kept=$SOURCE/tests/data/abi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [[ $(uname -m) != x86_64 ]]; then
    echo "skipped: the files in tests/data/abi are those of x86-64"
    exit 77
fi
failed=0
complain() {
    echo "abi.sh: $*" >&2
    failed=1
}

# ---- Symbols ----

nm --dynamic --defined-only --with-symbol-versions "$BUILD/libverso.so" | awk '$2 != "A" { print $3 }' | sort >"$scratch/symbols"
cat "$SOURCE"/include/verso/*.h "$SOURCE"/include/verso/rev/*.h |
    sed -n 's/^VERSO_API [^(]*[ *]\(verso_[a-z0-9_]*\)(.*/\1/p' | sort >"$scratch/marked"
sed -n 's/^ *\(verso_[a-z0-9_]*\);$/\1/p' "$SOURCE/cmake/libverso.map" | sort >"$scratch/mapped"
diff "$scratch/marked" "$scratch/mapped" ||
    complain "the headers mark (<) other functions with VERSO_API than cmake/libverso.map lists (>)"

# ---- Declarations and macros: always those that clang 19 sees, which alone differentiates ----

cat >"$scratch/all.c" <<'END'
#include <verso/verso.h>
#include <verso/rev/registered.h>
END
clang=(clang-19 -std=c17 -D_XOPEN_SOURCE=700 "-I$SOURCE/include" -E "$scratch/all.c")

# Keeps the lines of Verso's headers. One declaration, member or enumerator a line; bodies of functions are dropped.
"${clang[@]}" | awk '
    /^# [0-9]+ "/ { ours = index($3, "/include/verso/") > 0; next }
    ours { printf "%s ", $0 }' | sed 's/__attribute__((visibility("default")))/VERSO_API/g; s/[ \t][ \t]*/ /g' | awk '
    function put(text) {
        gsub(/^ +| +$/, "", text)
        if (text != "")
            printf "%s%s\n", indent, text
    }
    {
        for (i = 1; i <= length($0); i++) {
            c = substr($0, i, 1)
            if (body > 0) { # of a function
                body += (c == "{") - (c == "}")
                if (body == 0) {
                    put(line ";")
                    line = ""
                }
                continue
            }
            if (c == "{" && line ~ /\) *$/) {
                body = 1
                continue
            }
            parentheses += (c == "(") - (c == ")")
            if (c == "{") {
                enumeration = line ~ /enum/
                put(line " {")
                line = ""
                indent = "    "
            } else if (c == "}") {
                put(line (enumeration && line !~ /^ *$/ ? "," : "")) # a comma too many does no harm
                line = "}"
                indent = ""
            } else {
                line = line c
                if (c == ";" || c == "," && enumeration && indent != "") {
                    put(line)
                    line = ""
                }
            }
        }
    }' | sed 's/  */ /g; s/^ \([^ ]\)/    \1/; s/( /(/g; s/ \([,;)]\)/\1/g' >"$scratch/declarations"
"${clang[@]}" -dM | grep -E '^#define (VERSO|verso)_' |
    grep -vE '^#define VERSO_(VERSION|API|[A-Z_]+_(H|LIST\(X\)) )' | sort >"$scratch/macros"

# ---- Layouts, by the compiler of the build ----

# A member is written "type name", "type name[n]", "type a, b" or "type (*name)(...)".
{
    printf '#include <stddef.h>\n#include <stdio.h>\n'
    cat "$scratch/all.c"
    echo 'int main(void) {'
    awk '
    /struct verso_[a-z_]+ \{$/ {
        struct = $(NF - 1)
        printf "printf(\"%s: %%zu bytes\\n\", sizeof(struct %s));\n", struct, struct
        next
    }
    /enum.* \{$/ { enumeration = 1; next }
    /^}/ { struct = ""; enumeration = 0 }
    enumeration {
        sub(/[ =,].*/, "", $1)
        printf "printf(\"%s = %%lld\\n\", (long long)%s);\n", $1, $1
    }
    struct != "" {
        while (match($0, /\(\*[a-z_]+\)/)) # unwrap the name of a pointer to a function, then drop the parameters
            $0 = substr($0, 1, RSTART - 1) substr($0, RSTART + 2, RLENGTH - 3) substr($0, RSTART + RLENGTH)
        while (gsub(/\([^()]*\)|\[[^]]*\]|;/, ""))
            ;
        count = split($0, names, ",")
        for (i = 1; i <= count; i++) {
            sub(/^.*[ *]/, "", names[i])
            printf "printf(\"    %s: at %%zu, %%zu bytes\\n\", offsetof(struct %s, %s), sizeof ((struct %s *)0)->%s);\n",
                names[i], struct, names[i], struct, names[i]
        }
    }
    ' "$scratch/declarations"
    echo 'return 0; }'
} >"$scratch/layouts.c"
"$CC" -std=c17 -D_XOPEN_SOURCE=700 "-I$SOURCE/include" "$scratch/layouts.c" -o "$scratch/print_layouts"
"$scratch/print_layouts" >"$scratch/layouts"

# ---- Comparison ----

for list in symbols declarations layouts macros; do
    [[ -s $scratch/$list ]] || complain "no $list were found: this test is broken"
    if [[ ${1:-} == --write ]]; then
        cp "$scratch/$list" "$kept/$list"
    elif ! diff -U2 --label "$list, as committed" --label "$list, of this build" "$kept/$list" "$scratch/$list"; then
        complain "the $list of the public interface have changed (above)."
        changed=1
    fi
done
if [[ -n ${changed:-} ]]; then
    cat >&2 <<'END'
If this was not intended, take the change back. If it was:
  - Appending a member to a struct that begins with `size`, an enumerator, or a function is compatible. Increase
    VERSO_VERSION_MINOR (include/verso/version.h), and list new functions in a new node of cmake/libverso.map.
  - Anything else breaks programs that were compiled before: members inserted, removed or reordered, enumerators
    renumbered, functions removed or with other parameters. Increase VERSO_VERSION_MAJOR (VERSO_VERSION_MINOR while the
    major version is 0).
Then describe the change in CHANGELOG.md and run
    SOURCE=. BUILD=build CC=gcc bash tests/cli/abi.sh --write
END
fi
((failed)) || echo "$(wc -l <"$scratch/symbols") functions, $(grep -c '^[a-z].* bytes$' "$scratch/layouts") structs"
exit "$failed"
