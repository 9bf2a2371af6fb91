# docs/native-support.md explains every message about programs that cannot be differentiated: each sentence that the
# transformer, the driver or the run time can say is found there, word for word between what is filled in.
# ctest runs it with SOURCE set.
set -euo pipefail
: "${SOURCE:?the folder of the source}"
cd "$SOURCE"

# Sentences: string literals, adjacent ones joined, of some length; tables and assembly are none. Of each the longest
# piece between conversions.
files=()
for file in cc/*.c cc/driver/*.c native/*.c; do
    [[ $file == cc/known_table.c ]] || files+=("$file")
done
sentences() {
    awk '
        FNR == 1 && NR > 1 { take(text, file); text = "" }
        { text = text $0 "\n"; file = FILENAME }
        END { take(text, file) }
        function take(text, file,    literal, pieces, count, best, i) {
            gsub(/_?[Ss]tatic_assert\([^;]*;/, "", text)
            gsub(/"[ \n]+"/, "", text)
            while (match(text, /"([^"\\\n]|\\.)*"/)) {
                literal = substr(text, RSTART + 1, RLENGTH - 2)
                text = substr(text, RSTART + RLENGTH)
                if (gsub(/ /, " ", literal) < 5 || length(literal) < 39 || literal ~ /\\n|^[._]/)
                    continue
                count = split(literal, pieces, /%[-0-9.*]*(zu|ll[dux]|[a-z])/)
                best = ""
                for (i = 1; i <= count; i++)
                    if (length(pieces[i]) > length(best))
                        best = pieces[i]
                print file "\t" best
            }
        }' "${files[@]}"
}

# The page as one line, without the marks of its own.
page=$(tr '\n' ' ' <docs/native-support.md | sed 's/  */ /g')
missing=0
count=0
while IFS=$'\t' read -r file piece; do
    piece=$(sed "s/^[ ;:,.']*//; s/[ ;:,.']*\$//; s/  */ /g" <<<"$piece")
    ((${#piece} >= 20)) || continue
    count=$((count + 1))
    if [[ $page != *"$piece"* ]]; then
        echo "messages.sh: $file says '$piece', which docs/native-support.md does not explain" >&2
        missing=$((missing + 1))
    fi
done < <(sentences)
((count > 60)) || { echo "messages.sh: only $count sentences found" >&2; exit 1; }
((missing == 0)) || exit 1
echo "messages.sh: $count sentences are explained"
