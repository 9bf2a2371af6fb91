# Tests that every message is explained: docs/native-support.md must contain those of the transformer, the driver and
# the run time about programs that cannot be differentiated, docs/vlad.md those about VLAD programs, docs/rev.md those
# about reversible functions. The longest piece of each message between conversions (%s) must occur there word for
# word. ctest sets SOURCE.
set -euo pipefail
: "${SOURCE:?the folder of the source}"
cd "$SOURCE"

# Prints the messages of C files: string literals (adjacent ones joined) with at least BLANKS blanks and LENGTH characters,
# without those that look like tables or assembly. Of each it prints the longest piece between conversions.
sentences() { # BLANKS LENGTH FILE...
    local blanks=$1 length=$2
    shift 2
    awk -v blanks="$blanks" -v least="$length" '
        FNR == 1 && NR > 1 { take(text, file); text = "" }
        { text = text $0 "\n"; file = FILENAME }
        END { take(text, file) }
        function take(text, file,    literal, pieces, count, best, i) {
            gsub(/_?[Ss]tatic_assert\([^;]*;/, "", text)
            gsub(/\/\*[^*]*(\*[^\/*][^*]*)*\*\//, "", text)
            gsub(/"[ \n]+"/, "", text)
            while (match(text, /"([^"\\\n]|\\.)*"/)) {
                literal = substr(text, RSTART + 1, RLENGTH - 2)
                text = substr(text, RSTART + RLENGTH)
                if (gsub(/ /, " ", literal) < blanks || length(literal) < least || literal ~ /\\n|^[._]/)
                    continue
                gsub(/\\"/, "\"", literal)
                gsub(/\\\\/, "\\", literal)
                count = split(literal, pieces, /%[-0-9.*]*(zu|ll[dux]|[a-z])/)
                best = ""
                for (i = 1; i <= count; i++)
                    if (length(pieces[i]) > length(best))
                        best = pieces[i]
                print file "\t" best
            }
        }' "$@"
}

missing=0
# Fails unless PAGE contains all pieces on standard input of at least PIECE-LENGTH characters, and there are more than FEWEST.
explained() { # PAGE PIECE-LENGTH FEWEST
    local page count=0 file piece
    # The page as one line.
    page=$(tr '\n' ' ' <"$1" | sed 's/  */ /g')
    while IFS=$'\t' read -r file piece; do
        piece=$(sed "s/^[ ;:,.']*//; s/[ ;:,.']*\$//; s/  */ /g" <<<"$piece")
        ((${#piece} >= $2)) || continue
        count=$((count + 1))
        if [[ $page != *"$piece"* ]]; then
            echo "messages.sh: $file says '$piece', which $1 does not explain" >&2
            missing=$((missing + 1))
        fi
    done
    ((count > $3)) || { echo "messages.sh: only $count sentences found for $1" >&2; exit 1; }
    echo "messages.sh: $count sentences for $1"
}

files=()
for file in cc/*.c cc/*/*.c native/[!l]*/*.c schedule/spec_text.c profile/sites.c profile/file.c; do
    [[ $file == cc/front/known_table.c || $file == cc/driver/annotate.c ]] || files+=("$file")
done
explained docs/native-support.md 20 60 < <(sentences 5 39 "${files[@]}")
files=()
for file in vlad/*.c; do # without the files that write C
    [[ $file == vlad/compile.c || $file == vlad/emit_*.c ]] || files+=("$file")
done
explained docs/vlad.md 12 50 < <(sentences 2 12 "${files[@]}")
files=()
for file in rev/*.c; do # without the files that write C
    [[ $file =~ rev/(print_|lower|adjoint|tangent|gather|dump|derivatives|translate|register|check_program) ]] || files+=("$file")
done
explained docs/rev.md 12 50 < <(sentences 2 12 "${files[@]}" rev/lower_call.c)
# Messages about registration and tests; the other texts of these files are C.
reported() { # FILE
    awk '{ text = text $0 "\n" } END {
        gsub(/\/\*[^*]*(\*[^\/*][^*]*)*\*\//, "", text)
        while (match(text, /rev_(report|checker_fail)\(|\*fix = |return (rev_format\(c->unit, "'\''|")/)) {
            text = substr(text, RSTART)
            end = index(text, ";\n")
            print substr(text, 1, end)
            text = substr(text, end + 1)
        }
    }' "$1"
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for file in rev/register.c rev/check_program.c include/verso/rev/checker*.h; do
    reported "$file" >"$scratch/$(basename "$file")"
done
explained docs/rev.md 8 15 < <(sentences 2 12 "$scratch"/*)
((missing == 0)) || exit 1
