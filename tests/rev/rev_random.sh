# Tests random reversible functions, each of which checks its inverse and derivatives with tests/rev/harness.h. The
# seed is printed; REV_RANDOM_SEED=N repeats one. ctest sets VERSO, SOURCE, CC and VERSO_SANITIZE.
set -euo pipefail
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
seed=${REV_RANDOM_SEED:-$RANDOM}
count=${REV_RANDOM_COUNT:-6}

# States have six numbers. An instruction changes one of them by a bounded expression of others, so that nothing grows.
cat >"$scratch/generate.awk" <<'END'
function pick(n) { return int(rand() * n) }
# A place other than those in `but`, a text of digits.
function other(but,    k) {
    do k = pick(6); while (index(but, k))
    return k
}
function leaf(but, names,    words, n) {
    if (names != "" && rand() < 0.5) {
        n = split(names, words, " ")
        return words[1 + pick(n)]
    }
    return "s[" other(but) "]"
}
function expr(but, names, depth,    a, b, k) {
    if (depth == 0 || rand() < 0.15)
        return rand() < 0.8 ? leaf(but, names) : sprintf("%.2f", 0.3 + rand())
    a = expr(but, names, depth - 1)
    b = expr(but, names, depth - 1)
    k = pick(12)
    if (k == 0) return "sin(" a ")"
    if (k == 1) return "tanh(" a " - " b ")"
    if (k == 2) return "(" a ") / (2 + (" b ") * (" b "))"
    if (k == 3) return "sqrt(1 + (" a ") * (" a "))"
    if (k == 4) return "exp(-(" a ") * (" a "))"
    if (k == 5) return "(" leaf(but, names) " > 0.7 ? " a " : " b " * 0.5)"
    if (k == 6) return "atan2(" a ", 2 + cos(" b "))"
    if (k == 7) return "-(" a ")"
    if (k == 8) return "(" a ") - (" b ")"
    if (k == 9) return "log(2 + (" a ") * (" a "))"
    if (k == 10) return "(" a ") * (" b ")"
    return "(" a ") + (" b ")"
}
function bounded(but, names) { return "0.4 * sin(" expr(but, names, 3) ")" }
function update(target, but, names) {
    return target (rand() < 0.5 ? " += " : " -= ") bounded(but, names) ";"
}
function line(text) { printf "%*s%s\n", 4 * level, "", text }
function name(prefix) { made++; return prefix made }
# Statements that do not change what is in `keep`.
function body(keep, names, depth, count,    i, kind, t, u, c, v, w, limit, at) {
    for (i = 0; i < count; i++) {
        kind = length(keep) > 3 ? 0 : pick(depth > 0 ? 11 : 5)
        t = other(keep); u = other(keep t); c = pick(6)
        if (kind < 2) line(update("s[" t "]", t, names))
        else if (kind == 2) line("swap(s[" t "], s[" u "]);")
        else if (kind == 3) line("rot(s[" t "], s[" u "], " bounded(t u, names) ");")
        else if (kind == 4) line("neg(s[" t "]);")
        else if (kind == 5) {
            line("if (s[" c "] > " sprintf("%.2f", rand()) ") {"); level++
            body(keep c, names, depth - 1, 1 + pick(2)); level--
            line("} else {"); level++
            body(keep c, names, depth - 1, 1); level--
            line("}")
        } else if (kind == 6) {
            v = name("i")
            line("for (int " v " = " pick(2) "; " v " < " 1 + pick(3) "; " v "++) {"); level++
            body(keep, names, depth - 1, 1 + pick(2)); level--
            line("}")
        } else if (kind == 7) {
            v = name("a"); w = name("b")
            line("{"); level++
            line("anc double " v " = " (rand() < 0.5 ? "0" : bounded(t, names)) ";")
            line("anc double " w " = 0;")
            line("compute {"); level++
            line(v " += " bounded(t, names) ";")
            line(w " -= " bounded(t, v " " names) ";")
            if (rand() < 0.5) line(v " += " bounded(t, w " " names) ";")
            level--
            line("}"); line("use {"); level++
            line("s[" t "] += " bounded(t, v " " w " " names) ";"); level--
            line("}"); level--
            line("}")
        } else if (kind == 8 && functions > 0) {
            line((rand() < 0.4 ? "undo " : "") "part" pick(functions) "(&s[" t "], s[" u "], " bounded(t u, names) ");")
        } else if (kind == 9) {
            v = name("n"); limit = 1 + pick(3)
            line("{"); level++
            line("anc int " v " = 0;")
            line("from (" v " == 0) while (" v " < " limit ") {"); level++
            line(v "++;")
            body(keep, names, 0, 1 + pick(2)); level--
            line("}")
            line("drop " v " == " limit ";"); level--
            line("}")
        } else if (kind == 10) {
            line("undo {"); level++
            body(keep, names, depth - 1, 2); level--
            line("}")
        }
    }
}
BEGIN {
    srand(seed)
    print "#include \"tests/rev/harness.h\"\n"
    for (functions = 0; functions < 3; functions++)
        printf "rev static void part%d(double *out, double x, double y) {\n    *out += 0.3 * sin(x * %.2f + y) + %s;\n}\n\n", \
               functions, rand() * 2, rand() < 0.5 ? "0.2 * cos(x * y)" : "0.1 * x / (1 + y * y)"
    for (k = 0; k < count; k++) {
        printf "rev void random%d(double *s) {\n", k
        level = 1
        body("", "", 2, 3 + pick(4))
        print "}\n"
    }
    print "int main(int argc, char **argv) {\n    static const harness_case cases[] = {"
    for (k = 0; k < count; k++)
        print "        CASE(random" k ", 6),"
    print "    };\n    return harness_run(cases, sizeof cases / sizeof *cases, argc, argv);\n}"
}
END
echo "rev_random.sh: seed $seed, $count functions"
awk -v seed="$seed" -v count="$count" -f "$scratch/generate.awk" >"$scratch/random.rev.c"
"$VERSO" rev "$scratch/random.rev.c" -o "$scratch/random.c"
variants=("-O0" "-O2 -DVERSO_REV_NOCHECK")
if [[ -n ${VERSO_SANITIZE:-} ]]; then variants=("-O0 -fsanitize=$VERSO_SANITIZE -fno-sanitize-recover=all"); fi
for variant in "${variants[@]}"; do
    # shellcheck disable=SC2086
    "${CC:-gcc}" -std=c17 -D_XOPEN_SOURCE=700 -Wall -Wextra -Wpedantic -Werror $variant "-I$SOURCE/include" "-I$SOURCE" "$scratch/random.c" \
        -o "$scratch/random" -lm
    "$scratch/random" >"$scratch/out" || {
        grep FAILED "$scratch/out" >&2
        cp "$scratch/random.rev.c" "${TMPDIR:-/tmp}/verso-rev-random.rev.c"
        echo "rev_random.sh: seed $seed fails; the functions are in ${TMPDIR:-/tmp}/verso-rev-random.rev.c" >&2
        exit 1
    }
done
