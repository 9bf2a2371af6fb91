# Tests random C programs (tests/native/generator) with `verso cc`: compares reverse mode with tangent mode and with
# reverse sweeps that are cut into stretches. Usage: bash tests/native/native_random.sh [FIRST COUNT]... Seeds from
# 1000000000 on are programs of loop nests. ctest runs 225 programs, tests/long/native_random 15,000.
#
# A program that fails is reduced: statements are removed as long as it fails in the same way. The original and the
# reduced program are kept in BUILD/native-random/SEED, whose name is printed. ctest sets VERSO, SOURCE and BUILD;
# JOBS programs run at a time (2). In every second batch, loops are cut into strips of a few iterations
# (cc/plan/strips.h).
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: programs are linked with the plain library"
    exit 77
fi
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}" "${BUILD:?the build folder}"
VERSO=$(realpath "$VERSO")
here=$(realpath "$SOURCE")/tests/native
kept=$(realpath "$BUILD")/native-random
plain=${CLANG:-clang-19}
batch=25
levels=(-O2 -O0 -O1 "-O2 -fno-inline" -O3)

# Compiles program.c in the current folder and runs it. 0: right. 1: wrong, said what in `said`. 2: cannot be linked.
try() { # LEVEL
    # shellcheck disable=SC2086
    "$VERSO" cc -std=gnu17 -w $1 -c program.c -o program.o >said 2>&1 || return 2
    VERSO_TRANSFORM=$transform "$VERSO" cc program.o "$shared/random.o" -o program -lm >said 2>&1 || return 2
    timeout 300 ./program >said 2>&1 || return 1
}

# "dot", "signal 11", "link", ...: how it is wrong. Numbers and places differ from one reduction to the next.
kind_of() { # STATUS
    if (($1 == 2)); then
        echo "link $(sed -E 's/[0-9]+//g' said | head -n 1)"
    else
        sed -E 's/^seed [0-9]+: //; s/: [-+0-9.einfa]+ instead.*//' said | head -n 1
    fi
}

# Leaves out halves, quarters, ... of the statements while the program stays wrong in the same way.
reduce() { # SEED LEVEL KIND
    local count size start end status dropped=() trial=()
    count=$("$shared/generate" "$1" 1 | sed -n 's@^/\* \([0-9]*\) statements.*@\1@p')
    for ((size = (count + 1) / 2; size >= 1; size /= 2)); do
        for ((start = 0; start < count; start += size)); do
            end=$((start + size < count ? start + size : count))
            mapfile -t trial < <(printf '%s\n' "${dropped[@]}" $(seq "$start" $((end - 1))) | grep . | sort -nu)
            ((${#trial[@]} > ${#dropped[@]})) || continue
            "$shared/generate" "$1" 1 "${trial[@]}" >program.c
            status=0
            try "$2" || status=$?
            if ((status != 0)) && [[ $(kind_of $status) == "$3" ]]; then
                dropped=("${trial[@]}")
            fi
        done
    done
    "$shared/generate" "$1" 1 "${dropped[@]}" >program.c
    echo "$count statements, $((count - ${#dropped[@]})) after reduction" >reduction
}

# Reducing takes many compilations, so of a batch that is all wrong only the first are reduced.
keep() { # SEED LEVEL STATUS HOW-MANY-BEFORE
    local folder=$kept/$1 kind
    rm -rf "$folder"
    mkdir -p "$folder"
    kind=$(kind_of "$3")
    cp program.c "$folder/whole.c"
    cp said "$folder/said"
    if (($4 >= 3)); then
        echo "WRONG seed $1 ($2): $kind: $folder"
        return
    fi
    reduce "$1" "$2" "$kind"
    "${CLANG_FORMAT:-clang-format-19}" <program.c >"$folder/reduced.c" 2>/dev/null || cp program.c "$folder/reduced.c"
    echo "WRONG seed $1 ($2): $kind; $(cat reduction): $folder"
}

# Seeds of a batch one by one, when the batch as a whole is wrong.
check_batch() { # FIRST COUNT LEVEL
    local seed status=0 wrong=0
    mkdir -p "$shared/$1"
    cd "$shared/$1"
    "$shared/generate" "$1" "$2" >program.c
    try "$3" || status=$?
    if ((status != 0)); then
        for ((seed = $1; seed < $1 + $2; seed++)); do
            "$shared/generate" "$seed" 1 >program.c
            status=0
            try "$3" || status=$?
            if ((status != 0)); then
                keep "$seed" "$3" $status $wrong
                wrong=$((wrong + 1))
            fi
        done
        if ((wrong == 0)); then
            echo "WRONG seeds $1 to $(($1 + $2 - 1)) ($3): only together" && cat said
            wrong=1
        fi
    fi
    cd / && rm -rf "${shared:?}/$1"
    return $((wrong > 0))
}

if [[ ${1:-} == --batch ]]; then
    shared=$2
    transform=$6
    check_batch "$3" "$4" "${levels[$5]}"
    exit
fi

(($# > 0)) || set -- 1 125 1000000000 100
shared=$(mktemp -d)
trap 'rm -rf "$shared"' EXIT
"$plain" -std=c17 -O2 "$here"/generator/*.c -o "$shared/generate"
"$VERSO" cc -std=gnu17 -O2 "-I$here/../../include" -c "$here/random.c" -o "$shared/random.o"
usual=${VERSO_TRANSFORM:-$(dirname "$VERSO")/verso-transform}
printf '#!/bin/sh\nexec "%s" --strip 2048 "$@"\n' "$usual" >"$shared/short_strips"
chmod +x "$shared/short_strips"
transforms=("$usual" "$shared/short_strips")
export VERSO SOURCE BUILD
batches=() ranges=()
while (($# > 1)); do
    for ((seed = $1, k = 0; seed < $1 + $2; seed += batch, k++)); do
        left=$(($1 + $2 - seed))
        batches+=("$seed $((left < batch ? left : batch)) $((k % ${#levels[@]})) ${transforms[k % 2]}")
    done
    ranges+=("$1 to $(($1 + $2 - 1))")
    shift 2
done
if ! printf '%s\n' "${batches[@]}" | xargs -L 1 -P "${JOBS:-2}" bash "${BASH_SOURCE[0]}" --batch "$shared"; then
    echo "native_random.sh: seeds ${ranges[*]}: some are wrong ($SECONDS s)" >&2
    exit 1
fi
echo "native_random.sh: seeds ${ranges[*]}: right ($SECONDS s)"
