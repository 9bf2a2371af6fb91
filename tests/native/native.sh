# Tests whole programs with `verso cc`: compiles every file of tests/native, links it with tests/native/harness.c, and
# compares the gradient of its function f with tangent mode, with Taylor's theorem, and with reverse sweeps that are
# cut into stretches. Programs that must be refused are refused.
# By hand: VERSO=build/verso SOURCE=. bash tests/native/native.sh [NAME...]. In ctest each program is a test of its
# own: first `native.sh --prepare FOLDER`, then `native.sh --one FOLDER NAME`, with VERSO, SOURCE and BUILD set.
#
#   NAME.c, NAME.cpp   a program with double f(const double *x, size_t n)
#   NAME/              the same in several files, also in LLVM assembly; lib_*.c become a static library
#   api/NAME.c, .cpp   a program with a main of its own, which must exit with 0
#   refuse/NAME.c      a program that cannot be differentiated
#   open/NAME.c        a program of one of these kinds that still fails: only run if it is named
#
# A program begins with a comment that says how it is run:
#   at: V1,V2,...      the point, or random:COUNT:LOW:HIGH
#   large: V1,V2,...   another point, at which sweeps are cut at random safepoints only
#   cuts: COUNT        cut at this many random safepoints instead of at all
#   noise: X           relative rounding error of f
#   flags: ...         compiler flags, which follow -O2
#   foreign: FILE      a file that the plain compiler compiles and that is linked
#   link: ...          linker flags
#   fast: WHY          not run with fast-math (see LEVEL below)
#   durable: REGEXP    a run that several processes share is refused with this message
#   refused: compile|link|run   where the program is refused
#   message: REGEXP    the message with which it is refused
#   needs: FLAG ...    flags in /proc/cpuinfo without which the program is not run
#   tangent: none      it has no derivative in tangent mode either
#   main: own          in refuse/: it has a main that prints the message and exits with 0
#   compiler: plain    in refuse/: it is built without Verso and linked with its library (BUILD must be set)
# A program with loops is linked a second time so that they are cut into strips of a few iterations
# (cc/plan/strips.h), and differentiated once more by several processes; this is done for all programs only if
# THOROUGH is set.
# Environment: PROGRAMS names another folder of tests/ than native, FLAGS further flags for all its files. LEVEL (such
# as -O0) follows a program's own flags. JOBS programs run at a time (2), each for at most LIMIT seconds (60).
# A program that is linked with -fopenmp is also compiled without it, and the two gradients are compared. The run time of
# OpenMP must be installed.
# With fast-math, in flags or in LEVEL, or with OpenMP, the value may differ from that of the plain compiler by rounding. Recorded,
# cut, scheduled, durable and tangent runs must have the same bits nevertheless.
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: programs are linked with the plain library"
    exit 77
fi
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
VERSO=$(realpath "$VERSO")
harness=$(realpath "$SOURCE")/tests/native/harness.c
programs=$(realpath "$SOURCE")/tests/${PROGRAMS:=native}
plain=${CLANG:-clang-19}
# clang 19 warns about features that its own -march=native finds on some processors.
common=(-Wall -Wextra -Werror -Wno-deprecated-ofast -Wno-invalid-feature-combination "-I$programs/../../include")
read -r -a more <<<"${FLAGS:-}"
common+=("${more[@]}")

# What a plain compiler links with.
library=("${BUILD:=$(dirname "$VERSO")}/libverso.a" -lxxhash -lzstd -lpthread -lm)

# field NAME FILE: what the opening comment says after "NAME:".
field() {
    sed -n -E "1,/\*\//s@^(/\*| \*) $1: *(.*[^ /*])[ */]*\$@\2@p" "$2" | head -n 1
}

# How a source is compiled: $compile with Verso, $compile_plain without, both with the right standard.
choose_compiler() { # FILE
    if [[ $1 == *.cpp ]]; then
        compile=("$VERSO" c++ -std=c++17 -O2 "${common[@]}")
        compile_plain=("${plain/clang/clang++}" -std=c++17 -O2 "${common[@]}")
    else
        compile=("$VERSO" cc -std=gnu17 -O2 "${common[@]}")
        compile_plain=("$plain" -std=gnu17 -O2 "${common[@]}")
    fi
    link=("${compile[@]:0:2}")
    link_plain=("${compile_plain[0]}")
    read -r -a linking <<<"$(field link "$1")"
    link+=("${linking[@]}")
    link_plain+=("${linking[@]}")
    read -r -a flags <<<"$(field flags "$1") ${LEVEL:-}"
    fast=()
    if [[ " ${flags[*]} " =~ \ (-Ofast|-ffast-math)\  ]]; then
        fast=(--fast)
        flags+=(-Wno-nan-infinity-disabled)
        link+=(-ffast-math) # as the plain program is linked: denormal numbers are zero
        link_plain+=(-ffast-math)
    fi
    parallel=false
    if [[ " ${linking[*]} " == *" -fopenmp "* ]]; then
        parallel=true
        fast=(--fast)
        export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive # two tests run at a time
    fi
}

# Compiles the objects of a program: o/*.o with Verso, p/*.o without. A folder's lib_*.c go into archives.
compile_all() { # MAIN-FILE
    local file name
    mkdir o p
    for file in "${sources[@]}"; do
        name=$(basename "$file")
        if [[ $file == *.ll ]]; then # takes no option of the preprocessor
            "${link[@]}" -O2 ${LEVEL:-} -c "$file" -o "o/$name.o"
            "${link_plain[@]}" -O2 ${LEVEL:-} -c "$file" -o "p/$name.o"
            continue
        fi
        "${compile[@]}" "${flags[@]}" -c "$file" -o "o/$name.o"
        "${compile_plain[@]}" "${flags[@]}" -Xclang -ffp-contract=off -c "$file" -o "p/$name.o"
    done
    objects=(o/*.o)
    objects_plain=(p/*.o)
    if compgen -G "o/lib_*" >/dev/null; then
        ar rcs o/libparts.a o/lib_*.o
        ar rcs p/libparts.a p/lib_*.o
        rm o/lib_*.o p/lib_*.o
        objects=(o/*.o o/libparts.a)
        objects_plain=(p/*.o p/libparts.a)
    fi
    compile_foreign "$1"
}

compile_foreign() { # MAIN-FILE
    local file
    file=$(field foreign "$1")
    foreign=()
    if [[ -n $file ]]; then
        [[ $file == */* ]] || file=foreign/$file
        "$plain" -O2 "${common[@]}" -c "$(dirname "$1")/$file" -o foreign.o
        foreign=(foreign.o)
    fi
}

# One point of a program: the value of the plain build, and all that the harness checks; once more with short strips.
check_point() { # POINT CUTS NOISE DURABLE
    local expected against=()
    expected=$(./plain --at "$1" --value)
    if $parallel; then
        ./serial --at "$1" --gradient >gradient
        against=(--against gradient)
    fi
    timeout "${LIMIT:-60}" ./program --at "$1" --cuts "$2" --noise "$3" --plain "$expected" "${fast[@]}" "${against[@]}"
    if $thorough; then
        cmp -s program strips || timeout "${LIMIT:-60}" ./strips --at "$1" --cuts "$2" --noise "$3" "${fast[@]}"
        check_durable "$1" "$4"
    fi
}

# The gradient once more, by one process after the other, each of which goes a part of the way.
check_durable() { # POINT WORDS-OF-REFUSAL
    local status=3 processes=0
    rm -rf "$runs"
    while ((status == 3)); do
        status=0
        timeout "${LIMIT:-60}" ./program --at "$1" --durable "$runs" >durable 2>&1 || status=$?
        if ((++processes > 50)); then
            echo "a durable run does not end"
            return 1
        fi
    done
    rm -rf "$runs"
    if [[ -n $2 ]] && ((status == 1)) && grep -q -e "$2" durable; then
        return 0
    fi
    if ((status != 0)) || [[ -n $2 ]]; then
        cat durable
        return 1
    fi
    echo "processes $processes"
}

# Short strips and several processes are for some of the programs only, always the same, unless THOROUGH is set: the
# whole takes too long for every change.
choose_thorough() { # NAME
    thorough=false
    if [[ -n ${THOROUGH:-} || -n $(field durable "$main") || $1 =~ ^(kernel|fast)_ ]] ||
        (($(cksum <<<"$1" | cut -d ' ' -f 1) % 10 == 0)); then
        thorough=true
    fi
}

check_gradient() { # FILE-OR-FOLDER
    local main=$1 large cuts noise durable
    sources=("$1")
    if [[ -d $1 ]]; then
        main=$1/driver.c
        mapfile -t sources < <(ls "$1"/*.c "$1"/*.ll 2>/dev/null)
    fi
    choose_compiler "$main"
    if $parallel && ! compgen -G "/usr/lib/llvm-19/lib/libomp.so" >/dev/null; then
        echo " skipped: the run time of OpenMP is not installed"
        return 0
    fi
    if ((${#fast[@]} > 0)) && [[ -n $(field fast "$main") ]]; then
        echo " not with fast-math: $(field fast "$main")"
        return 0
    fi
    compile_all "$main"
    choose_thorough "$(basename "$1")"
    "${link[@]}" "$shared/harness.o" "${objects[@]}" "${foreign[@]}" -o program -lm
    if $thorough; then
        VERSO_TRANSFORM=$shared/short_strips "${link[@]}" "$shared/harness.o" "${objects[@]}" "${foreign[@]}" -o strips -lm
    fi
    if $parallel; then
        "${compile[@]}" "${flags[@]}" -fno-openmp -Wno-unknown-pragmas -c "${sources[0]}" -o serial.o
        "${link[@]}" "$shared/harness.o" serial.o "${foreign[@]}" -o serial -lm
    fi
    "${link_plain[@]}" "$shared/plain.o" "${objects_plain[@]}" "${foreign[@]}" -o plain "${library[@]}"
    cuts=$(field cuts "$main")
    noise=$(field noise "$main")
    durable=$(field durable "$main")
    check_point "$(field at "$main")" "${cuts:-all}" "${noise:-1e-12}" "$durable"
    large=$(field large "$main")
    if [[ -n $large ]]; then
        check_point "$large" 40 "${noise:-1e-12}" "$durable"
    fi
}

check_own_main() { # FILE
    choose_compiler "$1"
    compile_foreign "$1"
    "${compile[@]}" "${flags[@]}" -c "$1" -o program.o
    "${link[@]}" program.o "${foreign[@]}" -o program -lm
    timeout "${LIMIT:-60}" ./program
}

# Compiles, links and runs as far as it goes. Sets `when` to the step that refused; what was said is in `said`.
try_to_differentiate() { # FILE
    local cuts tangent arguments=() libraries=(-lm)
    objects=(program.o)
    if [[ $(field compiler "$1") == plain ]]; then
        compile=("${compile_plain[@]}")
        link=("${link_plain[@]}")
        libraries=("${library[@]}")
    fi
    if [[ $(field main "$1") != own ]]; then
        objects+=("$shared/harness.o")
        cuts=$(field cuts "$1")
        tangent=$(field tangent "$1")
        arguments=(--at "$(field at "$1")" --refused ${cuts:+--cuts "$cuts"} ${tangent:+--tangent})
    fi
    when=compile
    "${compile[@]}" "${flags[@]}" -c "$1" -o program.o >said 2>&1 || return 0
    when=link
    "${link[@]}" "${objects[@]}" "${foreign[@]}" -o program "${libraries[@]}" >said 2>&1 || return 0
    when=run
    timeout "${LIMIT:-60}" ./program "${arguments[@]}" >said 2>&1
}

# A program is refused with the message, and at the time, that its file states; nothing crashes.
check_refusal() { # FILE
    local refused message status=0 when
    refused=$(field refused "$1")
    message=$(field message "$1")
    choose_compiler "$1"
    compile_foreign "$1"
    try_to_differentiate "$1" || status=$?
    if ((status != 0)); then
        echo "running ended with status $status:" && cat said
        return 1
    fi
    if [[ $refused != "$when" ]]; then
        echo "refused by the $when instead of the $refused:" && cat said
        return 1
    fi
    if grep -q -i -E 'internal error|bug|PLEASE submit|Segmentation' said || ! [[ $(tr '\n' ' ' <said) =~ $message ]]; then
        echo "refused in other words than '$message':" && cat said
        return 1
    fi
    echo " refused by the $when"
}

# Whether the processor has what the program needs.
lacks_nothing() { # FILE
    local flag
    [[ -f $1 ]] || return 0
    for flag in $(field needs "$1"); do
        if ! grep -m 1 '^flags' /proc/cpuinfo | grep -q -w "$flag"; then
            echo " skipped: this processor has no $flag"
            exit 0
        fi
    done
}

# One line when it passes; what was said, too, when it does not.
check_one() { # NAME
    local path=$programs/$1 check=check_gradient status=0
    case $1 in
    api/*) check=check_own_main ;;
    refuse/*) check=check_refusal ;;
    open/*)
        if [[ -n $(field refused "$path") ]]; then check=check_refusal; elif [[ -z $(field at "$path") ]]; then check=check_own_main; fi
        ;;
    esac
    mkdir -p "$shared/$1"
    cd "$shared/$1"
    runs=$([[ -w /dev/shm ]] && echo /dev/shm || echo .)/verso-$$
    # A subshell of its own, because `set -e` is off where a status is tested.
    (set -e; lacks_nothing "$path"; "$check" "$path") >report 2>&1 &
    wait $! || status=$?
    if ((status == 0)); then
        printf 'PASS %s:%s\n' "$1" "$(tr '\n' ' ' <report)"
    else
        printf 'FAIL %s (%s)\n%s\n' "$1" "$shared/$1" "$(sed 's/^/    /' report)"
        return 1
    fi
}

# What all programs are linked with.
prepare() { # FOLDER
    local transform=${VERSO_TRANSFORM:-$(dirname "$VERSO")/verso-transform}
    "$VERSO" cc -std=gnu17 -O2 "${common[@]}" -c "$harness" -o "$1/harness.o"
    "$plain" -std=gnu17 -O2 "${common[@]}" -DPLAIN -c "$harness" -o "$1/plain.o"
    printf '#!/bin/sh\nexec "%s" --strip 2048 "$@"\n' "$transform" >"$1/short_strips"
    chmod +x "$1/short_strips"
}

case ${1:-} in
--prepare)
    rm -rf "$2"
    mkdir -p "$2"
    prepare "$2"
    exit
    ;;
--one)
    shared=$2
    check_one "$3"
    cd "$shared" && rm -rf "${shared:?}/$3"
    exit
    ;;
esac

shared=$(mktemp -d)
prepare "$shared"
if (($# > 0)); then
    names=("$@")
else
    mapfile -t names < <(cd "$programs" && ls -d *.c *.cpp api/*.c api/*.cpp refuse/*.c refuse/*.cpp archive front_ends union_files | grep -v -x -E 'harness.c|memory.c|random.c|schedules.c')
fi
export VERSO SOURCE BUILD PROGRAMS
failed=0
printf '%s\0' "${names[@]}" | xargs -0 -n 1 -P "${JOBS:-2}" bash "${BASH_SOURCE[0]}" --one "$shared" || failed=1
if ((failed)); then
    echo "native.sh: some of ${#names[@]} programs failed ($SECONDS s); what they left is in $shared" >&2
    exit 1
fi
rm -rf "$shared"
echo "native.sh: ${#names[@]} programs ($SECONDS s)"
