# Tests the installed tree: the place of each file, the symbols that the shared library exports, and that a user's C
# and C++ programs (tests/consumer) build and run with it, by pkg-config (shared and static) and by find_package.
# ctest sets SOURCE, BUILD and CC. All files are made in one temporary folder.
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} == ON ]]; then
    echo "skipped: an instrumented library is not one to install"
    exit 77
fi

fail() {
    echo "install.sh: $*" >&2
    exit 1
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
cxx=g++
[[ $CC == *clang* ]] && cxx=${CC/clang/clang++}

# ---- Installed files ----

cmake --install "$BUILD" --prefix "$prefix" >"$scratch/log" || { cat "$scratch/log"; fail "cmake --install failed"; }
library=$(dirname "$(find "$prefix" -name libverso.a)")
wanted=("$prefix/bin/verso" "$library"/libverso.{a,so,so.0.2} "$library/pkgconfig/verso.pc"
    "$library"/cmake/verso/verso-config{,-version}.cmake)
for header in "$SOURCE"/include/verso/*.h; do
    wanted+=("$prefix/include/verso/$(basename "$header")")
done
for page in "$SOURCE"/man/*.1; do
    wanted+=("$prefix/share/man/man1/$(basename "$page")")
done
wanted+=("$prefix"/share/man/man3/verso_{run,run.h,gradient,native_options}.3)
wanted+=("$prefix/share/bash-completion/completions/verso" "$prefix/share/zsh/site-functions/_verso"
    "$prefix/share/fish/vendor_completions.d/verso.fish")
wanted+=("$prefix"/share/doc/verso/{LICENSE,README.md,CHANGELOG.md,CITATION.cff,CONTRIBUTING.md,docs/glossary.md,include/verso/run.h,examples/wave.c})
for path in "${wanted[@]}"; do
    [[ -e $path ]] || fail "not installed: ${path#"$prefix"/}"
done
# The installed documents are complete: no link leads out of them.
SOURCE=$prefix/share/doc/verso bash "$SOURCE/tests/cli/links.sh" >"$scratch/log" || { cat "$scratch/log"; fail "links are broken"; }
"$prefix/bin/verso" --version >/dev/null || fail "the installed command does not run"

# Staging: DESTDIR precedes the prefix and appears in no file.
DESTDIR=$scratch/stage cmake --install "$BUILD" --prefix /opt/verso >/dev/null
[[ -x $scratch/stage/opt/verso/bin/verso ]] || fail "DESTDIR is not honoured"
if grep -rIl "$scratch" "$scratch/stage"; then
    fail "these installed files name the staging folder"
fi

# ---- Exported symbols ----

soname=$(readelf --dynamic "$library/libverso.so" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[[ $soname == libverso.so.0.2 ]] || fail "soname is '$soname', not libverso.so.0.2"
# Which functions there are is tested by abi.sh; all have a version.
exported=$(nm --dynamic --defined-only "$library/libverso.so" | awk '$2 != "A" { print $3 }')
[[ -n $exported ]] || fail "the shared library exports nothing"
if grep -v '^verso_.*@@VERSO_[0-9.]*$' <<<"$exported"; then
    fail "these exported symbols do not start with verso_ or have no version (cmake/libverso.map)"
fi

# ---- Users ----

# Runs a program and checks that it is linked with the given library.
run_user() { # NAME shared|static
    local needed
    needed=$(readelf --dynamic "$scratch/$1" | grep -c 'NEEDED.*libverso' || true)
    [[ $2 == shared && $needed == 1 || $2 == static && $needed == 0 ]] || fail "$1 is not linked with the $2 library"
    LD_LIBRARY_PATH=$library "$scratch/$1" >"$scratch/said" || { cat "$scratch/said"; fail "$1 failed"; }
    grep -q ' 15 forward steps$' "$scratch/said" || fail "$1 said: $(cat "$scratch/said")"
}

export PKG_CONFIG_PATH=$library/pkgconfig
strict=(-Wall -Wextra -Wpedantic -Werror)
users=$SOURCE/tests/consumer
read -ra cflags <<<"$(pkg-config --cflags verso)"
read -ra shared <<<"$(pkg-config --libs verso)"
read -ra static <<<"$(pkg-config --libs --static verso)"

"$CC" -std=c17 "${strict[@]}" "${cflags[@]}" "$users/consumer.c" -o "$scratch/c-shared" "${shared[@]}"
run_user c-shared shared
"$cxx" -std=c++17 "${strict[@]}" "${cflags[@]}" "$users/consumer.cpp" -o "$scratch/cpp-shared" "${shared[@]}"
run_user cpp-shared shared

# If both libraries are in one folder, the linker takes the archive only with -static or if the shared one is hidden.
mkdir "$scratch/archive"
cp "$library/libverso.a" "$scratch/archive"
"$CC" -std=c17 "${strict[@]}" "${cflags[@]}" "$users/consumer.c" -o "$scratch/c-static" \
    "-L$scratch/archive" "${static[@]}"
run_user c-static static
"$cxx" -std=c++17 "${strict[@]}" "${cflags[@]}" "$users/consumer.cpp" -o "$scratch/cpp-static" \
    "-L$scratch/archive" "${static[@]}"
run_user cpp-static static

if ! { cmake -S "$users" -B "$scratch/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$cxx" && cmake --build "$scratch/cmake"; } >"$scratch/log" 2>&1; then
    cat "$scratch/log"
    fail "the CMake project does not build"
fi
run_user cmake/consumer_c shared
run_user cmake/consumer_cpp shared
run_user cmake/consumer_static static

echo "installed tree: $(wc -w <<<"$exported") exported functions, 7 user programs"
