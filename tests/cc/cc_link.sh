# Tests how `verso cc` links programs that differentiate: what it passes to the transformer, how it handles all kinds
# of objects, archives and linkers, what it refuses, and that it leaves no temporary files. The transformer is a
# stand-in (tests/cc/driver/fake); other tests use the real one.
# ctest sets VERSO and SOURCE.
source "$SOURCE/tests/cc/driver/harness.bash"

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

# The driver must know all functions that the header declares for programs, so that it links the library.
for name in $(sed -n 's/^VERSO_API .*[ *]\(verso_[a-z_]*\)(.*/\1/p' "$SOURCE/include/verso/native.h"); do
    grep -q "\"$name\"" "$SOURCE/cc/driver/unit.c" || fail "cc/driver/unit.c does not know $name"
done

# The transformer's arguments.
passed() { [[ " $(tr '\n' ' ' <"$FAKE_LOG")" == *" $1 $2 "* ]] || fail "not passed to the transformer: $1 $2"; }
cc -Os -g --verso-dump=reach --verso-inactive=alpha,beta --verso-inactive gamma --verso-pure delta main.o cube.o -o program
passed -O s
passed --dump reach
for name in alpha beta gamma; do passed --inactive "$name"; done
passed --pure delta
grep -qx -e -g "$FAKE_LOG" || fail "-g is not passed"
cc main.o cube.o -o program
if grep -qx -e -O -e -g "$FAKE_LOG"; then fail "passed a level that was not given"; fi
cc -O3 -O main.o cube.o -o program
passed -O 1

# ---- Archives ----

cat >library.c <<'C'
#include <verso/native.h>
double cube(const double *x, size_t n);
double slope(double x);
double slope(double x) {
    double gradient = 0;
    verso_gradient(cube, &x, 1, &gradient, NULL, NULL, NULL);
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
    # A member that is not linked is not transformed, even if it differentiates.
    ar rcs libunused.a library.o value.o
    cc "$use" wants_value.o libunused.a -o program
    transformed
    prints "" ./program
done

# ---- Shared libraries that differentiate ----

has_symbols() { # LIBRARY
    [[ $(nm --dynamic --defined-only "$1") == *" T verso_gradient"* ]] || fail "the host finds no verso_gradient in $1"
    [[ $(nm --dynamic --defined-only "$1") != *verso__native_now* ]] || fail "$1 shows the run time's own symbols"
}
cc -shared -fPIC main.c cube.c -o libshared.so
silent
transformed main.c cube.c
has_symbols libshared.so
cc -shared -fPIC -Wl,--no-undefined main.c cube.c -o libshared.so
transformed main.c cube.c
has_symbols libshared.so

# ---- Errors ----

cc -shared -fPIC main.c cube.c -o libplain.so --verso-plain
transformed
[[ -e libplain.so ]] || fail "--verso-plain makes no library"
cc -shared -fPIC -O2 cube.c -o libcube.so
transformed
run 1 env FAKE_FAILS=1 "$verso" cc main.o -L. -lcube -o refused
says "heat.c:12: error: this cannot be differentiated"
says "./libcube.so is a shared library; its functions cannot be differentiated"
[[ ! -e refused ]] || fail "the program that cannot be is there"
clang-19 -c "-I$SOURCE/include" main.c -o clangs.o
run 1 "$verso" cc clangs.o cube.o -o refused
says "clangs.o calls verso_gradient, but was not compiled by 'verso cc'"
[[ ! -e refused ]] || fail "the program that cannot be is there"
run 1 "$verso" cc -fsanitize=address -O1 main.c cube.c -o refused
says "main.c calls verso_gradient, but was not compiled by 'verso cc' (or was compiled with a sanitizer"
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
printf '#!/bin/sh\necho 14.0.6\n' >old-clang
chmod +x old-clang
run 1 env VERSO_CLANG=./old-clang "$verso" cc -c cube.c
says "VERSO_CLANG names ./old-clang, version 14.0.6, but Verso needs clang 19"
run 0 env VERSO_CLANG="$(command -v clang-19)" "$verso" cc -c cube.c
echo '      end' >program.f90
for words in '-c program.f90' 'program.f90 -o program' '-c -x f95 cube.c'; do
    run 1 env VERSO_FLANG=no-such-flang "$verso" cc $words
    says "cannot run 'no-such-flang', which VERSO_FLANG names"
done
run 2 "$verso" cc --verso-no-such cube.c
says "there is no option '--verso-no-such'"
run 2 "$verso" cc cube.c --verso-dump
says "--verso-dump needs a value: --verso-dump=PASS"
run 2 "$verso" cc -c cube.c --verso-dump=word
says "there is no pass 'word'; --verso-dump takes one of merge, reach, base, lower, normal, second, record, tangent, stub, all"
run 2 "$verso" cc --verso-keep=1 cube.c
says "--verso-keep takes no value"

# Functions named in an option, or in a custom adjoint in the same file, are not inlined.
cat >adjoint.c <<'C'
#include <verso/native.h>
double outside(double x);
static double outside_record(verso_call *call, double x) { return (void)call, outside(x); }
static void outside_sweep(verso_call *call, double x) { call->argument[0] += x * call->result[0]; }
VERSO_CUSTOM_ADJOINT(outside, outside_record, outside_sweep, NULL);
C
cc -O2 --verso-show -c adjoint.c --verso-noinline=alpha,beta --verso-inactive=gamma
for name in outside alpha beta gamma; do says "-force-attribute=$name:noinline"; done

# An archive of adjoints, to which no object refers: exactly those of functions of the program are linked.
sed 's/outside/absent/g' adjoint.c >absent.c
cat >calls_outside.c <<'C'
#include <verso/native.h>
double outside(double x);
static double f(const double *x, size_t n) { return n == 1 ? outside(x[0]) : 0; }
int main(void) { double x = 3, gradient; return verso_gradient(f, &x, 1, &gradient, NULL, NULL, NULL) != VERSO_STATUS_OK; }
C
echo 'double outside(double x); double outside(double x) { return x; }' >outside.c
cc -O2 -c adjoint.c && cc -O2 -c absent.c && cc -O2 -c calls_outside.c && clang-19 -c outside.c
rm -f libadjoints.a libadjointsthin.a
ar rcs libadjoints.a absent.o adjoint.o && ar rcsT libadjointsthin.a absent.o adjoint.o
cc calls_outside.o libadjoints.a outside.o -o program
transformed calls_outside.o "libadjoints.a(adjoint.o)"
cc calls_outside.o outside.o -L . -ladjoints -o program
transformed calls_outside.o "./libadjoints.a(adjoint.o)"
cc calls_outside.o outside.o libadjointsthin.a -o program
transformed calls_outside.o "libadjointsthin.a(adjoint.o)"
cc main.o cube.o libadjoints.a -o program
transformed main.o cube.o

# An object that calls other functions of Verso, but does not differentiate, needs libverso.a and no transformer.
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
    # Background processes of a shell, and their children, ignore SIGINT.
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
