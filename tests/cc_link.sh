# How `verso cc` links programs that differentiate: what the transformer is handed, what comes of objects, archives and
# linkers of all kinds, what is refused, and that no temporary file is left behind. The transformer is a stand-in: what real
# ones make is tested elsewhere.
# ctest runs it with VERSO and SOURCE set.
source "$SOURCE/tests/cc_driver/harness.bash"

# ---- Programs that differentiate ----

cc -O2 main.c cube.c -o program
silent
transformed main.c cube.c
prints 27 ./program
is_pie() { [[ $(readelf --file-header "$1") == *"DYN (Position-Independent"* ]]; }
is_pie program || fail "the program is not position-independent"
cc main.c cube.c
prints 27 ./a.out
cc -c -O2 main.c
cc -c -O2 cube.c
options=(-no-pie -pie)
[[ -n ${VERSO_SANITIZE:-} ]] || options+=(-static -static-pie) # no sanitizer's run time can be linked so
for option in "${options[@]}"; do
    cc "$option" main.o cube.o -o program
    transformed main.o cube.o
    prints 27 ./program
    is_pie program || fail "$option is obeyed"
done
mkdir -p "other folder"
cp cube.c "other folder/a cube.c"
cc main.c "other folder/a cube.c" -o "other folder/the program"
transformed main.c "other folder/a cube.c"
prints 27 "./other folder/the program"
cat >words.rsp <<'W'
-O1 "main.c" 'other folder/a cube.c'
-o other\ folder/by\ response @more.rsp
W
echo '-lm' >more.rsp
cc @words.rsp
prints 27 "./other folder/by response"
printf -- '-DNAME_%d=1 ' {1..90000} >long.rsp
cc @long.rsp main.o cube.o -o program
prints 27 ./program
cc @long.rsp -c cube.c -o cube_of_long.o
cc -O1 @long.rsp -c main.c -o main_of_long.o
cc main_of_long.o cube_of_long.o -o program
prints 27 ./program
cc -x c - -x none cube.o -o program <main.c
transformed - cube.o
prints 27 ./program
cc -Wl,main.o -Xlinker cube.o -o program
transformed main.o cube.o
prints 27 ./program
echo "main.o cube.o" >objects.rsp
cc -Wl,@objects.rsp -o program
prints 27 ./program
cc -r main.o cube.o -o joined.o
cc joined.o -o program
transformed joined.o joined.o
prints 27 ./program

# Whatever the header declares for programs, the driver must know to ask for the library.
for name in $(sed -n 's/^VERSO_API .*[ *]\(verso_[a-z_]*\)(.*/\1/p' "$SOURCE/include/verso/native.h"); do
    grep -q "\"$name\"" "$SOURCE/cc/driver/unit.c" || fail "cc/driver/unit.c does not know $name"
done

# What the transformer is told.
told() { [[ " $(tr '\n' ' ' <"$FAKE_LOG")" == *" $1 $2 "* ]] || fail "not told: $1 $2"; }
cc -Os -g --verso-dump=reach --verso-inactive=alpha,beta --verso-inactive gamma main.o cube.o -o program
told -O s
told --dump reach
for name in alpha beta gamma; do told --inactive "$name"; done
grep -qx -e -g "$FAKE_LOG" || fail "-g is not told"
cc main.o cube.o -o program
if grep -qx -e -O -e -g "$FAKE_LOG"; then fail "told a level that nobody named"; fi
cc -O3 -O main.o cube.o -o program
told -O 1

# ---- Archives ----

cat >library.c <<'C'
#include <verso/native.h>
double cube(const double *x, size_t n);
double slope(double x);
double slope(double x) {
    double gradient = 0;
    verso_gradient(cube, &x, 1, &gradient, NULL, NULL);
    return gradient;
}
C
cat >calls_library.c <<'C'
#include <stdio.h>
double slope(double x);
int main(void) { return printf("%g\n", slope(2)) < 0; }
C
mkdir -p twin
echo 'double other(double x); double other(double x) { return 2 * x; }' >twin/cube.c
cc -O2 -c library.c
cc -O2 -c calls_library.c
cc -O2 -c twin/cube.c -o twin/cube.o
cc -c value.c && cc -c wants_value.c
echo 'int foreign = 1;' >foreign.c
clang-19 -c foreign.c
ar rcs libnormal.a library.o cube.o foreign.o
ar rcsT libthin.a library.o cube.o foreign.o
ar qcs libtwins.a twin/cube.o cube.o library.o
ar rcs libstripped.a library.o cube.o && strip --strip-debug libstripped.a
llvm-ar-19 rcs --format=bsd libbsd.a library.o cube.o
linkers=(bfd)
for linker in lld gold; do
    command -v "ld.$linker" >/dev/null && linkers+=("$linker")
done
for linker in "${linkers[@]}"; do
    use=-fuse-ld=$linker
    for name in normal twins stripped; do
        cc "$use" calls_library.o "lib$name.a" -o program
        transformed calls_library.o "lib$name.a(library.o)" "lib$name.a(cube.o)"
        prints 8 ./program
        cc "$use" -L. calls_library.o "-l$name" -o program
        transformed calls_library.o "./lib$name.a(library.o)" "./lib$name.a(cube.o)"
        prints 8 ./program
    done
    for words in libthin.a "-L. -lthin" "-L. -l:libnormal.a" "-Wl,--start-group libnormal.a -Wl,--end-group" \
        "-Wl,--whole-archive libnormal.a -Wl,--no-whole-archive" "-Wl,--whole-archive,libthin.a,--no-whole-archive" \
        "-L. -Wl,--push-state,--whole-archive -lnormal -Wl,--pop-state" "-Xlinker --whole-archive libtwins.a -Xlinker --no-whole-archive" \
        "-Wl,--gc-sections -Wl,--as-needed libnormal.a -lm"; do
        cc "$use" calls_library.o $words -o program
        [[ $(grep -c '\.bc:' "$FAKE_LOG") -ge 3 ]] || fail "$use $words: transformed $(cat "$FAKE_LOG")"
        prints 8 ./program
    done
    cc "$use" -Wl,--whole-archive libnormal.a -Wl,--no-whole-archive calls_library.o -o program
    [[ $(nm program) == *" foreign"* ]] || fail "$use: a member without bitcode is lost"
    if [[ $linker == lld ]]; then # the only one to read it
        cc "$use" calls_library.o libbsd.a -o program
        transformed calls_library.o "libbsd.a(library.o)" "libbsd.a(cube.o)"
        prints 8 ./program
    fi
    # A member that is not linked is not transformed, even when it would differentiate.
    ar rcs libunused.a library.o value.o
    cc "$use" wants_value.o libunused.a -o program
    transformed
    prints "" ./program
done

# ---- What cannot be ----

run 1 "$verso" cc -shared -fPIC main.c cube.c -o libshared.so
says "main.c calls verso_gradient, but a shared library cannot differentiate"
[[ ! -e libshared.so ]] || fail "the library that cannot be is there"
cc -shared -fPIC main.c cube.c -o libshared.so --verso-plain
[[ -e libshared.so ]] || fail "--verso-plain makes no library"
cc -shared -fPIC -O2 cube.c -o libcube.so
transformed
run 1 env FAKE_FAILS=1 "$verso" cc main.o -L. -lcube -o refused
says "heat.c:12: error: this cannot be differentiated"
says "./libcube.so is a shared library: what is in it cannot be differentiated"
[[ ! -e refused ]] || fail "the program that cannot be is there"
clang-19 -c "-I$SOURCE/include" main.c -o clangs.o
run 1 "$verso" cc clangs.o cube.o -o refused
says "clangs.o calls verso_gradient, but was not compiled by 'verso cc'"
[[ ! -e refused ]] || fail "the program that cannot be is there"
run 1 "$verso" cc -fsanitize=address -O1 main.c cube.c -o refused
says "main.c calls verso_gradient, but was not compiled by 'verso cc' (or was with a sanitizer"
cc clangs.o cube.o -o program --verso-plain
transformed
prints 27 ./program
cc -fsanitize=address -O1 wants_value.c value.c -o program
prints "" ./program
echo 'INPUT(cube.o)' >script.ld
run 1 "$verso" cc main.o script.ld -o refused
says "cube.o is linked but not named on the command line"
head -c 1000 cube.o >damaged.o
run 1 "$verso" cc main.o damaged.o -o refused
run 1 env VERSO_TRANSFORM=/no/such/program "$verso" cc main.o cube.o -o refused
says "cannot run '/no/such/program'"
run 1 env VERSO_CLANG=no-such-clang "$verso" cc -c cube.c
says "cannot run 'no-such-clang': No such file or directory; install clang 19, or name a compiler in VERSO_CLANG"
run 2 "$verso" cc --verso-no-such cube.c
says "there is no option '--verso-no-such'"
run 2 "$verso" cc cube.c --verso-dump
says "--verso-dump needs a value: --verso-dump=PASS"
run 2 "$verso" cc -c cube.c --verso-dump=word
says "there is no pass 'word'; --verso-dump takes one of merge, reach, base, lower, normal, record, tangent, stub, all"
run 2 "$verso" cc --verso-keep=1 cube.c
says "--verso-keep takes no value"

# An object that only helps others to differentiate needs libverso.a, and no transformer.
cat >helper.c <<'C'
#include <verso/native.h>
int main(void) {
    verso_keep(NULL, NULL, 0);
    return 0;
}
C
cc helper.c -o program
transformed
prints "" ./program

# ---- Temporary files, commands, signals ----

"$verso" cc --verso-keep --verso-show main.c cube.c -o program 2>"$scratch/err"
kept=$(sed -n 's/.*temporary files are kept in //p' "$scratch/err")
[[ -e $kept/transformed.o && -e $kept/0.bc ]] || fail "--verso-keep keeps nothing in '$kept'"
grep -q "^ clang-19 .* -c .*main.c" "$scratch/err" || fail "--verso-show does not show how main.c is compiled"
grep -q "^ .*/verso-transform -o " "$scratch/err" || fail "--verso-show does not show the transformer"
rm -rf "${TMPDIR:?}"/*
for signal in INT TERM HUP; do
    rm -f sleeping interrupted
    # A shell's background processes ignore SIGINT, and so would what they start.
    FAKE_SLEEPS=$PWD/sleeping env --default-signal=INT "$verso" cc main.o cube.o -o interrupted 2>/dev/null &
    child=$!
    for ((i = 0; i < 200; i++)); do
        [[ ! -e sleeping ]] || break
        sleep 0.05
    done
    kill "-$signal" "$child"
    wait "$child" 2>/dev/null
    status=$?
    ((status > 128)) || fail "SIG$signal: status $status"
    [[ -z $(ls -A "$TMPDIR") ]] || fail "SIG$signal left $(ls -A "$TMPDIR")"
    [[ ! -e interrupted ]] || fail "SIG$signal left a program"
done
"$verso" cc zero.c -o zero -Wl,--verbose | head -n 1 >/dev/null
[[ -z $(ls -A "$TMPDIR") ]] || fail "a pipe that broke left $(ls -A "$TMPDIR")"

finish "verso cc: programs that differentiate, with the linkers ${linkers[*]}"
