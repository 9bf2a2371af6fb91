# Compares `verso cc` and `verso c++` with clang: they print the same answers and messages, write the same files and
# machine code, and exit with the same status, on the command line and in projects built by make, CMake and a
# configure script.
# ctest sets VERSO and SOURCE.
if [[ -n ${VERSO_SANITIZE:-} ]]; then
    echo "skipped: cc_link.sh runs the same code under the sanitizers"
    exit 77
fi
source "$SOURCE/tests/cc/driver/harness.bash"

# ---- The same output, files and exit status as clang ----

# same ARGUMENT...: runs both compilers in two equal folders, and compares their files, output and messages.
same() {
    local twin status=()
    for twin in verso clang; do
        rm -rf "$scratch/$twin"
        mkdir -p "$scratch/$twin/sub"
        cp -- *.c "$scratch/$twin"
    done
    (cd "$scratch/verso" && "$verso" cc "$@" >"$scratch/verso.out" 2>"$scratch/verso.err" <zero.c)
    status+=($?)
    (cd "$scratch/clang" && clang-19 "$@" >"$scratch/clang.out" 2>"$scratch/clang.err" <zero.c)
    status+=($?)
    [[ ${status[0]} == "${status[1]}" ]] || fail "same $*: status ${status[0]}, clang ${status[1]}"
    diff "$scratch/clang.out" "$scratch/verso.out" || fail "same $*: output"
    diff "$scratch/clang.err" "$scratch/verso.err" || fail "same $*: messages"
    diff <(cd "$scratch/clang" && find . | sort) <(cd "$scratch/verso" && find . | sort) || fail "same $*: files"
    for file in $(cd "$scratch/clang" && find . -name '*.d' -o -name '*.dep'); do
        diff "$scratch/clang/$file" "$scratch/verso/$file" || fail "same $*: $file"
    done
    [[ -z $(ls -A "$TMPDIR") ]] || fail "same $*: left $(ls -A "$TMPDIR")"
    rm -rf "${TMPDIR:?}"/*
}

same
same --version
same -v
same -dumpmachine
same -dumpversion
same -print-search-dirs
same -print-prog-name=ld
same --print-file-name=crti.o
same -E zero.c
same -E -dM -x c -
same -S -O2 zero.c -o -
same -S cube.c zero.c
same -M zero.c
same -MM zero.c cube.c
same -fsyntax-only zero.c
same -fsyntax-only wrong.c
same -c wrong.c
same -c wrong.c zero.c
same -c -Wall warned.c
same -c -Wall -Werror warned.c
same -c zero.c cube.c
same -c zero.c -o sub/other.o
same -c zero.c -o no_such_folder/x.o
same -c zero.c cube.c -o both.o
same -c zero.c -lm
same -c -Wl,-x zero.c
same -c no_such_file.c
same no_such_file.c zero.c
same zero.c no_such_object.o
same wrong.c value.c
same wrong.c warned.c -Wall
same -fno-such-flag zero.c
same zero.c -o
same -o sub
same -
same -x c - -o sub/from_stdin
same -x no_such_language zero.c
same -emit-llvm -c zero.c
same -c -Ofast zero.c
same -c -O2 -ffp-model=fast cube.c
same -m32 -c value.c
same --target=aarch64-linux-gnu -c value.c
same --target=wasm32 -c value.c
same -c -x c-header value.c -o value.pch

# Compiling and linking in one command: auxiliary files have the names that clang gives them.
same zero.c
same zero.c -o sub/program
same -MMD zero.c
same -MMD zero.c -o sub/program
same -MMD zero.c -o sub/program.x
same -MD -MF sub/x.dep zero.c -o program
same -MD -MT target zero.c -o program
same -MMD value.c wants_value.c
same -MMD value.c wants_value.c -o program
same -g -gsplit-dwarf value.c wants_value.c -o sub/program
same -g -gsplit-dwarf value.c wants_value.c
same --coverage value.c wants_value.c -o sub/program
same --coverage zero.c
same -ftime-trace zero.c -o sub/program
same -save-temps zero.c -o sub/program
same -save-temps=obj zero.c -o sub/program
same zero.c -o program -Wl,--print-memory-usage

# ---- The machine code is that of clang ----

sources=("$SOURCE/base/text.c" "$SOURCE/schedule/binomial.c" "$here/make/src/steps.c")
cat >templates.cpp <<'C'
#include <algorithm>
#include <string>
#include <vector>
double mean(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    double sum = 0;
    for (double x : v)
        sum += x * x + 1.5;
    return sum / static_cast<double>(v.size()) + static_cast<double>(std::to_string(sum).size());
}
C
code() { objdump --disassemble --no-show-raw-insn "$1" | tail -n +4; }
options=("" -O0 "-O0 -g" -O1 -O2 -O3 -Os -Oz -Og "-O2 -g" "-O2 -fPIC" "-O2 -fno-pie" "-O3 -march=x86-64-v3 -ffast-math"
    "-O2 -ffunction-sections -fdata-sections" "-O2 -flto" "-O2 -fsanitize=undefined" "-O1 -fsanitize=address"
    "-O2 -fsanitize=thread" "-O2 --coverage")
flags=("-I$SOURCE" "-I$SOURCE/include" "-I$here/make/include" -D_XOPEN_SOURCE=700)
for option in "${options[@]}"; do
    read -ra words <<<"$option"
    for source in "${sources[@]}"; do
        cc "${words[@]}" "${flags[@]}" -c "$source" -o ours.o
        silent
        clang-19 "${words[@]}" "${flags[@]}" -fno-lto -Xclang -ffp-contract=off -c "$source" -o clangs.o
        cmp <(code clangs.o) <(code ours.o) || fail "$(basename "$source") $option: other machine code"
    done
    [[ $option =~ ^(-O0|-O2|-O3.*)$ ]] || continue
    run 0 "$verso" c++ "${words[@]}" -c templates.cpp -o ours.o
    [[ $option != -O3* ]] || words+=(-mllvm -unroll-threshold-aggressive=150) # see cc/driver/compile.c
    clang++-19 "${words[@]}" -fno-exceptions -fno-lto -Xclang -ffp-contract=off -c templates.cpp -o clangs.o
    cmp <(code clangs.o) <(code ours.o) || fail "templates.cpp $option: other machine code"
done

has_bitcode() { [[ $(readelf --section-headers --wide "$1") =~ \.llvm\.lto|\.verso ]]; }
cc -c cube.c
has_bitcode cube.o || fail "cube.o has no bitcode"
cc -c -O2 cube.c
has_bitcode cube.o || fail "cube.o has no bitcode at -O2"
cc -c -flto=full -fno-fat-lto-objects cube.c
has_bitcode cube.o || fail "cube.o has no bitcode when -flto is given"
[[ $(head -c 4 cube.o) == $'\177ELF' ]] || fail "cube.o is no object file when -flto is given"
cc -c -fsanitize=address cube.c -o sanitized.o
has_bitcode sanitized.o && fail "an object for a sanitizer has bitcode"
cc -S cube.c
cc -c cube.s -o assembled.o
silent
has_bitcode assembled.o && fail "assembler has bitcode"
cc -E cube.c -o cube.i
cc -c cube.i -o preprocessed.o
has_bitcode preprocessed.o || fail "cube.i gives no bitcode"

# ---- Programs that do not differentiate ----

cc -O2 wants_value.c value.c -o program
silent
transformed
prints "" ./program
cc -O2 -x c wants_value.c -x none value.c -o program
prints "" ./program
cp value.c -- -value.c
cc -c value.c -o ./-value.o
cc -o program -- wants_value.c -value.o
prints "" ./program
run 1 "$verso" cc undefined.c -o program
says "undefined reference to \`no_such_function'"
says "linker command failed with exit code 1"
run 1 "$verso" cc undefined.c wrong.c -o program
says "wrong.c:1:26: error: expected ';' after return statement"
[[ $(cat "$scratch/err") != *no_such_function* ]] || fail "linked after an error"
cc -c value.c && cc -c wants_value.c
cc value.o wants_value.o -o program
cmp <(clang-19 value.o wants_value.o -o theirs && cat theirs) program || fail "the program is not what clang links"
cc -O2 -flto -ffat-lto-objects value.o wants_value.o -o program
prints "" ./program
cc -Wl,--trace value.o wants_value.o -o program
grep -qx value.o "$scratch/out" || fail "--trace does not trace"
cc -r value.o wants_value.o -o joined.o
cc joined.o -o program
prints "" ./program
run 0 "$verso" c++ -O2 templates.cpp -x c zero.c -o program
prints "" ./program
echo 'int main() { throw 1; }' >throws.cpp
run 1 "$verso" c++ -c throws.cpp
says "exceptions disabled"
says "-fexceptions turns exceptions on"
run 1 "$verso" c++ throws.cpp -o program
says "-fexceptions turns exceptions on"
run 0 "$verso" c++ -fexceptions -c throws.cpp

# ---- Projects ----

cp -r "$here/make" made
run 0 make -s -C made CC="$verso cc" program
prints "success 256 1" made/program
transformed src/main.o "libsteps.a(steps.o)"
sleep 1
sed 's/STEPS 3/STEPS 1/' "$here/make/include/steps.h" >made/include/steps.h
run 0 make -s -C made CC="$verso cc" program
prints "success 4 1" made/program

export CC="$verso cc" CXX="$verso c++"
cp -r "$here/cmake" cmade
run 0 cmake -S cmade -B cmade/ours -G Ninja -DCMAKE_BUILD_TYPE=Release
CC=clang-19 CXX=clang++-19 run 0 cmake -S cmade -B cmade/theirs -G Ninja -DCMAKE_BUILD_TYPE=Release
answers() { grep -E '^(HAVE|SIZEOF|RUNS)_' "cmade/$1/CMakeCache.txt" | sort; }
diff <(answers theirs) <(answers ours) || fail "CMake finds something else than with clang"
[[ $(answers ours | grep -c '=1$\|=16$') -ge 6 ]] || fail "CMake finds little: $(answers ours)"
run 0 cmake --build cmade/ours
prints "20 50 7" cmade/ours/program
transformed CMakeFiles/program.dir/main.cpp.o "libparts.a(part.c.o)" "libparts.a(part.c.o)"

mkdir -p probed/ours probed/theirs
(cd probed/ours && run 0 "$here/probes" && cp "$scratch/out" ../ours.txt)
(cd probed/theirs && CC=clang-19 CXX=clang++-19 run 0 "$here/probes" && cp "$scratch/out" ../theirs.txt)
diff probed/theirs.txt probed/ours.txt || fail "a configure script finds something else than with clang"
probes=$(grep -c '^checking' probed/ours.txt)
((probes >= 40)) || fail "$probes probes"

# ---- Help ----

"$verso" cc --help >"$scratch/out" || fail "--help fails"
grep -q -e '--verso-inactive NAME' "$scratch/out" || fail "--help does not describe Verso's own options"

finish "verso cc: as clang in ${#options[@]} sets of options and $probes probes"
