# Tests the library without native differentiation (-DVERSO_NATIVE=OFF): it configures, builds and installs without LLVM,
# exports the symbols that it has with the versions of the full library, and a user's program (tests/consumer/alone.c)
# runs with the shared and with the static library. With -DVERSO_TESTS=ON its unit tests are built; some of them run here.
# ctest sets SOURCE and CC. All files are made in one temporary folder.
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} == ON ]]; then
    echo "skipped: the same library is tested without instrumentation"
    exit 77
fi
: "${SOURCE:?the folder of the source}" "${CC:?the C compiler}"
export LC_ALL=C
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix

fail() {
    echo "alone.sh: $*" >&2
    exit 1
}
logged() { # COMMAND...
    "$@" >"$scratch/log" 2>&1 || { tail -n 40 "$scratch/log" && fail "failed: $*"; }
}

# The programs of LLVM are not found. Not optimised: this saves time and changes no results.
logged cmake -S "$SOURCE" -B "$scratch/build" -G Ninja -DVERSO_NATIVE=OFF -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_C_FLAGS_RELEASE="-O0" -DLLVM_CONFIG=/nowhere -DCLANG_19=/nowhere
logged cmake --build "$scratch/build"
logged cmake --install "$scratch/build" --prefix "$prefix"
[[ ! -e $prefix/bin && ! -e $prefix/share/man/man1 ]] || fail "parts of the command are installed"
[[ -s $prefix/share/man/man3/verso_run.3 ]] || fail "the manual pages are not installed"

library=$(dirname "$(find "$prefix" -name libverso.a)")
nm --dynamic --defined-only --with-symbol-versions "$library/libverso.so" | awk '$2 != "A" { print $3 }' | sort >"$scratch/symbols"
comm -23 "$scratch/symbols" "$SOURCE/tests/data/abi/symbols" >"$scratch/others"
[[ ! -s $scratch/others ]] || fail "the full library does not export: $(cat "$scratch/others")"
for name in verso_run verso_schedule_new verso_store_file_open verso_loop_program verso_bennett; do
    grep -q "^$name@@" "$scratch/symbols" || fail "the library does not export $name"
done
needed=$(readelf --dynamic "$library/libverso.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
if grep -vE '^(libxxhash|libzstd|libm|libc|libpthread|ld-linux)' <<<"$needed"; then
    fail "the library needs more than xxHash, zstd and the C library (above)"
fi

unit_tests=(test_text test_loop test_store test_drive faulty_drive)
logged cmake -DVERSO_TESTS=ON "$scratch/build"
logged cmake --build "$scratch/build" --target "${unit_tests[@]}"
logged ctest --test-dir "$scratch/build" --no-tests=error -R "^($(IFS='|' && echo "${unit_tests[*]}"))\$"

export PKG_CONFIG_PATH=$library/pkgconfig
flags=(-std=c17 -Wall -Wextra -Wpedantic -Werror)
read -ra cflags <<<"$(pkg-config --cflags verso)"
read -ra shared <<<"$(pkg-config --libs verso)"
read -ra static <<<"$(pkg-config --libs --static verso)"
mkdir "$scratch/archive"
cp "$library/libverso.a" "$scratch/archive"
program=$SOURCE/tests/consumer/alone.c
logged "$CC" "${flags[@]}" "${cflags[@]}" "$program" -o "$scratch/shared" "${shared[@]}" -lm
logged "$CC" "${flags[@]}" "${cflags[@]}" "$program" -o "$scratch/static" "-L$scratch/archive" "${static[@]}" -lm
LD_LIBRARY_PATH=$library "$scratch/shared" "$scratch/shared.run"
"$scratch/static" "$scratch/static.run"
echo "library alone: $(wc -l <"$scratch/symbols") exported functions"
