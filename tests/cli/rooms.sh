# Tests the structure of the source: includes point downwards, private headers are used only in their own room, private
# functions and types do not have the prefix of public ones, and no file, header or function is too long.
#
# A room may include its own headers and those of rooms that precede it in its list below. A header named inside.h or
# …_inside.h is private: only its room and tests include it. Headers of rooms have at most 150 lines, files 600, functions
# 60, those of tests and examples too. Lines have at most 120 columns.
# ctest sets SOURCE.
set -euo pipefail
cd "${SOURCE:?the folder of the source}"

# Folders from the bottom to the top, in two stacks that share base/. Folders in one line may not include each other.
stacks=(
    "base | schedule | profile store | drive | loop | native/memory | native/cells | native/run | native/tape |
     native/sweep | native/blas | native/budget | native/api | vlad rev | cc/driver | cli"
    "base | cc/ir | cc/rules | cc/front | cc/lower | cc/types | cc/plan | cc/reverse | cc/tangent | cc/second | cc/emit | cc"
)
# Folders whose files are not compiled into the library or the command: they are compiled for the user's program.
translated=(native native/lib native/lib/fortran cli/harness rev/library vlad/generated)
# Headers that belong to no room: the interface between generated code and the run time, and the names of passes.
shared=(native/state.h native/blas/routines.h native/blas/plans.h cc/passes_named.h cc/driver/demangle.h cc/driver/cache.h)

sources=(base cc cli drive loop native profile rev schedule store vlad)
failed=0
complain() {
    echo "rooms.sh: $*" >&2
    failed=1
}

folder_of() { # FILE
    local folder=${1%/*}
    echo "${folder#./}"
}

is_shared() { # HEADER
    local one
    for one in "${shared[@]}"; do
        [[ $1 != "$one" ]] || return 0
    done
    return 1
}

# ---- Includes ----

declare -A level
check_stack() { # STACK
    local number=0 folder file header from to
    level=()
    while IFS= read -r -d '|' line || [[ -n $line ]]; do
        for folder in $line; do
            level[$folder]=$number
        done
        number=$((number + 1))
    done <<<"$1"
    for folder in "${!level[@]}"; do
        [[ -d $folder ]] || complain "$folder is in the list and not there"
        for file in "$folder"/*.[ch]; do
            [[ -e $file ]] || continue
            from=${level[$folder]}
            while read -r header; do
                to=$(folder_of "$header")
                if is_shared "$header" || [[ $to == "$folder" ]]; then
                    continue
                fi
                [[ -n ${level[$to]:-} ]] && ((${level[$to]} < from)) ||
                    complain "$file includes $header, which is not below it"
            done < <(sed -n 's/^#include "\(.*\)".*/\1/p' "$file")
        done
    done
}
for stack in "${stacks[@]}"; do
    check_stack "$stack"
done
while read -r folder; do # that these are all
    [[ " ${stacks[*]//$'\n'/ } ${translated[*]} " == *" $folder "* ]] || complain "$folder is in no list of rooms"
done < <(find "${sources[@]}" -name '*.[ch]' -printf '%h\n' | sort -u)

# ---- Private headers ----

while IFS=: read -r file header; do
    [[ $(folder_of "$file") == "$(folder_of "$header")" || $file == tests/* || $file == ./tests/* ]] ||
        complain "$file includes $header, which is private"
done < <(grep -rHo --include='*.[ch]' '^#include ".*/[a-z_]*inside\.h"' "${sources[@]}" tests | sed 's/#include "\(.*\)"/\1/')

# ---- Prefixes: `verso_` is that of public names, `verso__` or a room's that of private ones ----

names_in() { # FOLDER...: prints the words that begin with verso_, except verso__
    find "$@" -name '*.[ch]' -print0 | xargs -0 grep -hoE '\bverso_[a-z0-9]\w*' | sort -u
}
mapfile -t compiled < <(printf '%s\n' "${sources[@]}" | grep -vx cli) # in cli/ each subcommand has a prefix: verso_, too
while read -r name; do
    [[ $name == verso_callsites ]] || # a section: the linker makes symbols of its name
        complain "no public header declares $name; private functions and types begin with verso__"
done < <(comm -23 <(names_in "${compiled[@]}") <(names_in include))

# ---- The headers of the rooms of native/ and cc/: what they say, and their lists of files ----

for room in native/* cc/*; do
    [[ $room != native/lib && -d $room ]] || continue
    header=$(grep -lsE '^(/\*| \*) Room `' "$room"/*.h || true)
    [[ -n $header && $header != *$'\n'* ]] || { complain "$room needs one header with a comment 'Room \`…\`'" && continue; }
    for word in Requires Leaves Owns; do
        grep -q "\b$word: " "$header" || complain "$header does not say: $word"
    done
    listed=$(grep -oE '[a-z_]+\*?' "$header" || true)
    for file in "$room"/*.c; do
        name=$(basename "$file" .c)
        while read -r word; do # such as known, known_*, cc_lower_masked
            # shellcheck disable=SC2053 # the word may be a pattern
            [[ $name != $word && $word != *_"$name"* ]] || continue 2
        done <<<"$listed"
        complain "$header does not mention $file"
    done
done

# ---- Lengths ----

while read -r lines file; do
    [[ $file == total ]] && continue
    case $file in
    include/* | tests/* | bench/* | examples/* | native/state.h) most=600 ;; # not headers of rooms
    *.h) most=150 ;;
    *) most=600 ;;
    esac
    ((lines <= most)) || complain "$file has $lines lines; it may have at most $most"
done < <(find "${sources[@]}" include tests bench examples tools cmake CMakeLists.txt -type f ! -path '*/generated/*' \
    ! -path 'tests/data/*' ! -name '*.out' -print0 | xargs -0 wc -l)

# clang-format does not break comments. Comments of tests/native/refuse contain messages that the tests look for.
while IFS=: read -r file line _; do
    complain "$file:$line has more than 120 columns"
done < <(find "${sources[@]}" include tests bench examples -name '*.[ch]' ! -path '*/generated/*' \
    ! -path 'tests/native/refuse/*' ! -path 'tests/native/generator/*' -print0 | LC_ALL=C.UTF-8 xargs -0 grep -nE '^.{121,}')

# A function begins in the first column and ends with a brace there.
while read -r place lines; do
    complain "$place: a function of $lines lines; it may have at most 60"
done < <(find "${sources[@]}" include tests bench examples -name '*.[ch]' ! -path '*/generated/*' -print0 |
    xargs -0 awk 'FNR == 1 { start = 0 }
        /^[a-zA-Z_].*\) \{$/ || (/^[ \t].*\) \{$/ && open) { start = FNR; open = 0 }
        /^[a-zA-Z_].*[(,]$/ { open = 1 }
        /^}/ { if (start && FNR - start >= 60) print FILENAME ":" start, FNR - start + 1; start = 0; open = 0 }')

((failed == 0)) && echo "rooms.sh: ${#stacks[@]} stacks of rooms"
exit "$failed"
