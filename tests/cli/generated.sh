# Tests that the man pages and completion scripts in the tree are those that the command prints about itself.
# ctest sets VERSO and SOURCE. `bash tests/cli/generated.sh --write` updates the files.
set -euo pipefail

: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# file, and the arguments of `verso help` that print it
generated=(
    "man/verso.1 --man verso"
    "man/verso-cc.1 --man cc"
    "man/verso-c++.1 --man c++"
    "man/verso-fc.1 --man fc"
    "man/verso-grad.1 --man grad"
    "man/verso-check.1 --man check"
    "man/verso-library.1 --man library"
    "man/verso-profile.1 --man profile"
    "man/verso-tune.1 --man tune"
    "man/verso-plan.1 --man plan"
    "man/verso-rev.1 --man rev"
    "man/verso-vlad.1 --man vlad"
    "man/verso-status.1 --man status"
    "completion/verso.bash --completion bash"
    "completion/_verso --completion zsh"
    "completion/verso.fish --completion fish"
)
stale=0
for line in "${generated[@]}"; do
    read -r file option word <<<"$line"
    "$VERSO" help "$option" "$word" >"$scratch/printed"
    if [[ ${1:-} == --write ]]; then
        cp "$scratch/printed" "$SOURCE/$file"
    elif ! diff -u "$SOURCE/$file" "$scratch/printed"; then
        echo "generated.sh: $file is out of date; VERSO=... SOURCE=... bash tests/cli/generated.sh --write" >&2
        stale=1
    fi
done

# The installed shells must accept the scripts.
bash -n "$SOURCE/completion/verso.bash"
if command -v zsh >/dev/null; then zsh -n "$SOURCE/completion/_verso"; fi
if command -v fish >/dev/null; then fish --no-execute "$SOURCE/completion/verso.fish"; fi
exit "$stale"
