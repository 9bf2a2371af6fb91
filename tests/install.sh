# The installed tree, seen from outside: what lies where, what the shared library shows, and that a user's C and C++
# programs (tests/consumer) build and run against it by pkg-config (shared and static) and by find_package.
# ctest runs it with SOURCE, BUILD and CC set; everything it makes is in one temporary folder.
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

# ---- What is installed ----

cmake --install "$BUILD" --prefix "$prefix" >"$scratch/log" || { cat "$scratch/log"; fail "cmake --install failed"; }
library=$(dirname "$(find "$prefix" -name libverso.a)")
wanted=("$prefix/bin/verso" "$library"/libverso.{a,so,so.0} "$library/pkgconfig/verso.pc"
    "$library"/cmake/verso/verso-config{,-version}.cmake)
for header in "$SOURCE"/include/verso/*.h; do
    wanted+=("$prefix/include/verso/$(basename "$header")")
done
for page in "$SOURCE"/man/*.[13]; do
    [[ -e $page ]] && wanted+=("$prefix/share/man/man${page##*.}/$(basename "$page")")
done
[[ -e $SOURCE/completion/verso.bash ]] && wanted+=("$prefix/share/bash-completion/completions/verso")
[[ -e $SOURCE/completion/_verso ]] && wanted+=("$prefix/share/zsh/site-functions/_verso")
[[ -e $SOURCE/completion/verso.fish ]] && wanted+=("$prefix/share/fish/vendor_completions.d/verso.fish")
for path in "${wanted[@]}"; do
    [[ -e $path ]] || fail "not installed: ${path#"$prefix"/}"
done
"$prefix/bin/verso" --version >/dev/null || fail "the installed command does not run"

# Staging: DESTDIR goes in front of the prefix and into no file.
DESTDIR=$scratch/stage cmake --install "$BUILD" --prefix /opt/verso >/dev/null
[[ -x $scratch/stage/opt/verso/bin/verso ]] || fail "DESTDIR is not honoured"
if grep -rIl "$scratch" "$scratch/stage"; then
    fail "these installed files name the staging folder"
fi

# ---- What the shared library shows ----

soname=$(readelf --dynamic "$library/libverso.so" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[[ $soname == libverso.so.0 ]] || fail "soname is '$soname', not libverso.so.0"
exported=$(nm --dynamic --defined-only "$library/libverso.so" | awk '{ print $3 }')
[[ -n $exported ]] || fail "the shared library exports nothing"
if grep -v '^verso_' <<<"$exported"; then
    fail "these exported symbols do not start with verso_"
fi
declared=$(sed -n 's/^VERSO_API .*[ *]\(verso_[a-z0-9_]*\)(.*/\1/p' "$prefix"/include/verso/*.h)
sort <<<"$declared" >"$scratch/declared"
sort <<<"$exported" >"$scratch/exported"
if ! diff "$scratch/declared" "$scratch/exported"; then
    fail "the headers declare (<) something else than the library exports (>)"
fi

# ---- Users ----

# Runs a program that was linked with the given library, and looks whether it was that one.
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

# Where both libraries lie in one folder, only -static or hiding the shared one makes the linker take the archive.
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
