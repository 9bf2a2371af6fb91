# Tests reversible sources without translation: every file of rev/library and examples/rev compiles as plain C with
# gcc, clang and the build's compiler, without warnings, and runs forward; the library computes the same as
# straightforward C; the header can be used from C++ and, if there is one, by nvcc; `undo` is refused with a message.
# ctest sets SOURCE and CC.
set -euo pipefail
: "${SOURCE:?the folder of the source}" "${CC:?a C compiler}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags=(-O0 -Wall -Wextra -Wpedantic -Werror -D_XOPEN_SOURCE=700 "-I$SOURCE" "-I$SOURCE/rev" "-I$SOURCE/include")

fail() {
    echo "rev_plain.sh: $1" >&2
    exit 1
}

other=clang-19
[[ $CC != *clang* ]] || other=gcc
if [[ -n ${VERSO_SANITIZE:-} ]]; then
    flags+=("-fsanitize=$VERSO_SANITIZE" -fno-sanitize-recover=all)
    other=none
fi
for compiler in "$CC" "$other"; do
    command -v "$compiler" >/dev/null || continue
    "$compiler" -std=c17 "${flags[@]}" "$SOURCE/tests/rev/library.c" -o "$scratch/library" -lm
    "$scratch/library" || fail "the library, compiled by $compiler, is wrong"
    for file in "$SOURCE"/examples/rev/*.rev.c "$SOURCE/tests/rev/exact.rev.c"; do
        "$compiler" -std=c17 "${flags[@]}" "$file" -o "$scratch/example" -lm
        "$scratch/example" >"$scratch/output" || fail "$file, compiled by $compiler, fails: $(cat "$scratch/output")"
    done
done

if [[ -n ${VERSO_SANITIZE:-} ]]; then # the rest is the same in every build
    echo "rev_plain.sh: all good"
    exit
fi

# Plain and generated mode from C++, in two files of one program.
cat >"$scratch/plain.cpp" <<'END'
#include <cmath>
#include <verso/rev.h>
rev void twice(double *out, const double *x) { *out += 2 * *x; }
extern "C" int generated(void);
int main() {
    double out = 0, x = 3;
    twice(&out, &x);
    return out != 6 || generated();
}
END
cat >"$scratch/generated.cpp" <<'END'
#define VERSO_REV_GENERATED 1
#include <cmath>
#include <verso/rev.h>
static void keep(const rev_fault *fault, void *context) {
    *static_cast<int *>(context) = fault->line;
}
extern "C" int generated(void) {
    int line = 0;
    rev_handler_set(keep, &line);
    rev_stack stack = REV_STACK_EMPTY;
    double x = 2;
    rev_stack_push(&stack, x);
    rev_stack_pop(&stack, x);
    rev_stack_free(&stack);
    fixed f = rev_fixed_mul(rev_fixed(x), rev_fixed_add(rev_fixed(1), rev_fixed(0.5)));
    ulog u = rev_ulog_mul(rev_ulog(2), rev_ulog(3));
    rev_check_double(1, 0, "one"); const int here = __LINE__;
    return line != here || rev_fixed_value(f) != 3 || std::fabs(rev_ulog_value(u) - 6) > 1e-9;
}
END
for compiler in g++ clang++-19; do
    command -v "$compiler" >/dev/null || continue
    "$compiler" -std=c++17 "${flags[@]}" "$scratch"/{plain,generated}.cpp -o "$scratch/program"
    "$scratch/program" || fail "the header is wrong in C++, compiled by $compiler"
done
PATH=$PATH:/usr/local/cuda/bin
if command -v nvcc >/dev/null; then
    cat - "$scratch/generated.cpp" >"$scratch/kernel.cu" <<'END'
#define VERSO_REV_GENERATED 1
#include <verso/rev.h>
__global__ void kernel(fixed *x) {
    *x = rev_fixed_add(*x, rev_ulog_mul(rev_ulog(2), rev_ulog(3)).log);
    rev_check_double(rev_fixed_value(*x), 0, "zero");
}
END
    nvcc -std=c++17 "-I$SOURCE/include" -c "$scratch/kernel.cu" -o "$scratch/kernel.o"
fi

printf '%s\n' '#include <math.h>' '#include <verso/rev.h>' 'rev void f(double *x) { *x += 1; }' \
    'rev void g(double *x) { undo f(x); }' >"$scratch/undo.c"
if "$CC" -std=c17 "${flags[@]}" -c "$scratch/undo.c" -o "$scratch/undo.o" 2>"$scratch/output"; then
    fail "undo was compiled in plain mode"
fi
grep -q "error: 'undo' needs an inverse: translate it with 'verso rev FILE.rev.c -o FILE.c'" "$scratch/output" ||
    fail "undo is refused without its sentence: $(cat "$scratch/output")"

# Without a handler a fault is printed, with its place, and ends the program; without checks it is none.
cat >"$scratch/fault.c" <<'END'
#define VERSO_REV_GENERATED 1
#include <verso/rev.h>
int main(void) {
#line 17 "user.rev.c"
    rev_check_double(0.25, 0, "s == 0");
    return 0;
}
END
"$CC" -std=c17 "${flags[@]}" "$scratch/fault.c" -o "$scratch/fault"
if (ulimit -c 0; "$scratch/fault") 2>"$scratch/output"; then
    fail "a fault did not end the program"
fi
grep -qx 'user.rev.c:17: an ancilla does not have the required value: s == 0: found 0.25, expected 0' "$scratch/output" ||
    fail "a fault is reported as: $(cat "$scratch/output")"
"$CC" -std=c17 "${flags[@]}" -DVERSO_REV_NOCHECK "$scratch/fault.c" -o "$scratch/fault"
"$scratch/fault" || fail "there was a check without checks"
echo "rev_plain.sh: all good"
