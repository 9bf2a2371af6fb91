# Tests run directories that another user has prepared: in place of the files of compiled programs, of `verso grad
# --run` and of `verso vlad --run` there is a link, a dangling link, a FIFO, a directory or a socket. No process may
# hang, nothing outside the directory may change, and the run must end with the right numbers or be refused with the
# name of the offending file. tests/drive/test_hostile.c tests the files of the driver.
# ctest sets VERSO, SOURCE and CC.
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: programs are linked with the plain library"
    exit 77
fi
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
VERSO=$(realpath "$VERSO")
include=$(realpath "$SOURCE")/include
scratch=$(mktemp -d -p "$([[ -w /dev/shm ]] && echo /dev/shm || echo /tmp)")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
unset VERSO_RUN VERSO_MEMORY VERSO_SCHEDULE VERSO_INTERVAL VERSO_TIME_LIMIT

fail() {
    echo "hostile.sh: $*" >&2
    [[ ! -s err ]] || cat err >&2
    exit 1
}

# ---- What is in the way ----

cat >socket.c <<'END'
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
int main(int argc, char **argv) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, argv[argc - 1], sizeof address.sun_path - 1);
    return bind(socket(AF_UNIX, SOCK_STREAM, 0), (const struct sockaddr *)&address, sizeof address) != 0;
}
END
"${CC:-cc}" socket.c -o make-socket

mkdir elsewhere
put() { # KIND PATH
    rm -rf "$2"
    echo precious >elsewhere/victim
    rm -f elsewhere/none
    case $1 in
    link) ln -s "$scratch/elsewhere/victim" "$2" ;;
    folder) ln -s "$scratch/elsewhere" "$2" ;;
    dangling) ln -s "$scratch/elsewhere/none" "$2" ;;
    fifo) mkfifo "$2" ;;
    directory) mkdir "$2" ;;
    socket) (cd "${2%/*}" && "$scratch/make-socket" "${2##*/}") ;;
    esac
}

# Ends with these numbers, or is refused with the name of what is in the way.
tried=0 refused=0
must_be_safe() { # WHAT EXPECTED NAME COMMAND...
    local status=0
    timeout 60 "${@:4}" >out 2>err || status=$?
    ((++tried, status != 124)) || fail "$1: it waits for ever"
    if ((status == 0)); then
        [[ $(result) == "$2" ]] || fail "$1: another result: $(cat out)"
    else
        ((status == 1, ++refused)) || fail "$1: status $status"
        grep -q -- "$3" err || fail "$1: refused without '$3'"
    fi
    [[ $(ls elsewhere) == victim && $(cat elsewhere/victim) == precious ]] || fail "$1: changed something elsewhere"
}

result() {
    sed 's/, "steps".*//' out
}

kinds=(link dangling fifo directory socket)

# ---- A compiled program ----

cat >f.c <<'END'
#include <math.h>
#include <stddef.h>
double f(const double *x, size_t n) {
    double a = x[0], b = x[1];
    (void)n;
    for (int i = 0; i < 20000; i++) {
        a += 1e-4 * sin(b);
        b -= 1e-4 * a;
    }
    return a * b;
}
END
cat >main.c <<'END'
#include <stdio.h>
#include <verso/native.h>
double f(const double *x, size_t n);
int main(int argc, char **argv) {
    double x[2] = {0.3, 0.7}, gradient[2];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    verso_run_options run;
    verso_run_options_init(&run);
    run.spec.kind = VERSO_KIND_ONLINE;
    run.spec.slots = 3;
    run.directory = "run";
    bool look = argc > 1 && argv[1][0] == 'l'; /* which is what a survey is for */
    run.automatic = look;
    run.step_limit = argc > 1 && !look ? 7 : 0;
    verso_native_options options = {.size = sizeof options, .run = &run, .leaf = look ? 0 : 1 << 12, .memory = look ? 600000 : 0};
    verso_status status = verso_gradient(f, x, 2, gradient, &options, &report, &error);
    if (status == VERSO_STATUS_SUSPENDED)
        return 3;
    if (status != VERSO_STATUS_OK)
        return fprintf(stderr, "%s\n", error.message), 1;
    printf("%a %a %a\n", report.value, gradient[0], gradient[1]);
}
END
"$VERSO" cc -O2 "-I$include" f.c main.c -o program -lm
rm -rf run
./program >out 2>err || fail "the program"
expected=$(cat out)
rm -rf run
status=0
./program stop >out 2>err || status=$?
((status == 3)) || fail "the program is not suspended: $status"
mv run begun

for name in native native.new native.lock world; do
    for kind in "${kinds[@]}"; do
        for begun in no yes; do
            rm -rf run
            mkdir run
            [[ $begun == no ]] || cp -r begun/. run
            put $kind run/$name
            must_be_safe "$name, $kind, begun: $begun" "$expected" "$name" ./program
        done
    done
done
for name in survey survey.new; do
    for kind in "${kinds[@]}"; do
        rm -rf run
        mkdir run
        put $kind run/$name
        must_be_safe "$name, $kind" "$expected" "$name" ./program look
    done
done
for begun in no yes; do # what lies elsewhere under the name of a capsule stays
    rm -rf run
    mkdir run
    [[ $begun == no ]] || cp -r begun/. run
    put folder run/capsules
    must_be_safe "capsules, begun: $begun" "$expected" capsules ./program
done
((refused > 10 && refused < tried)) || fail "$refused of $tried refused"

# ---- verso grad --run ----

grad=("$VERSO" grad f.c:f --at 0.3,0.7 --json)
"${grad[@]}" --run kept >out 2>err || fail "verso grad"
expected=$(result)
[[ $(stat -c %a kept kept/build.lock) == $'700\n600' ]] || fail "others may read: $(stat -c '%a %n' kept kept/*)"
for entry in "link build" "folder build" "fifo build" "socket build" "fifo build.lock" "link build.lock" "fifo build/made" \
    "dangling build/made" "fifo build/program"; do
    read -r kind name <<<"$entry"
    rm -rf run
    cp -r kept run
    rm -f run/journal # else the build is none of the run's
    put $kind run/$name
    must_be_safe "verso grad: $name, $kind" "$expected" "${name%/*}" "${grad[@]}" --run run
done
rm -rf run # a build that others can have written is not run
cp -r kept run
rm -f run/journal
chmod 0777 run/build
printf '#!/bin/sh\necho mine\n' >run/build/program
must_be_safe "verso grad: a build that others may write" "$expected" build "${grad[@]}" --run run

# ---- verso vlad --run ----

cat >v.vlad <<'END'
(define (f x) (letrec ((go (lambda (n x) (if (= n 0) x (go (- n 1) (+ x (* 0.001 (sin x)))))))) (go 300 x)))
(checkpoint-*j f 0.5 1)
END
"$VERSO" vlad v.vlad --run kept-vlad >out 2>err || fail "verso vlad"
expected=$(result)
mapfile -t names < <(cd kept-vlad && find . -type f ! -path '*/capsules/*' ! -name 'program-*' -printf '%P\n')
((${#names[@]} >= 3)) || fail "verso vlad keeps ${names[*]}"
for name in "${names[@]}" "${names[@]/%/.new}"; do
    for kind in "${kinds[@]}"; do
        rm -rf run
        cp -r kept-vlad run
        put $kind "run/$name"
        must_be_safe "verso vlad: $name, $kind" "$expected" "${name##*/}" "$VERSO" vlad v.vlad --run run
    done
done
echo "hostile.sh: $tried directories, $refused refused ($SECONDS s)"
