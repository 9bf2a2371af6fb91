# Tests the links of the documents: each relative link leads to a file, each #anchor to a heading of it, and docs/README.md
# links to each page of docs/. ctest sets SOURCE.
set -euo pipefail
: "${SOURCE:?the folder of the source}"
cd "$SOURCE"
pages=(*.md docs/*.md)
failed=0
complain() {
    echo "links.sh: $*" >&2
    failed=1
}

# Prints the text of a page without its blocks of code.
prose() { # PAGE
    awk '/^ *```/ { code = !code; next } !code' "$1"
}

# Prints the anchors that a page's headings have on GitHub and most other sites.
anchors() { # PAGE
    prose "$1" | sed -n 's/^##* *//p' | tr '[:upper:]' '[:lower:]' | sed -E 's/\]\([^)]*\)//g; s/[^[:alnum:]_ -]//g; s/ /-/g'
}

count=0
for page in "${pages[@]}"; do
    while IFS='#' read -r path anchor; do
        count=$((count + 1))
        target=$page
        [[ -z $path ]] || target=$(dirname "$page")/$path
        [[ -e $target ]] || complain "$page links to $path, which does not exist"
        if [[ -n $anchor && $target == *.md && -e $target ]]; then
            anchors "$target" | grep -qxF -- "$anchor" || complain "$page links to $path#$anchor, which is not a heading there"
        fi
    done < <(prose "$page" | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//' | grep -vE '^[a-z]+:' || true)
done
for page in docs/*.md; do
    [[ $page == docs/README.md ]] || grep -qE "\(${page#docs/}[#)]" docs/README.md ||
        complain "docs/README.md does not link to ${page#docs/}"
done
((count > 100)) || complain "only $count links were found: this test is broken"
((failed)) || echo "$count links"
exit "$failed"
