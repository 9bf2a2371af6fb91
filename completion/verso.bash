# Completion of `verso` for bash. Printed by `verso help --completion bash`; do not edit.
_verso() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command='' words=''
    ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}
    case $command:$before in
    cc:--verso-inactive) words='' ;;
    cc:--verso-dump) words='' ;;
    cc:*) words=' --verso-inactive --verso-plain --verso-show --verso-keep --verso-dump --help'; compopt -o default ;;
    c++:--verso-inactive) words='' ;;
    c++:--verso-dump) words='' ;;
    c++:*) words=' --verso-inactive --verso-plain --verso-show --verso-keep --verso-dump --help'; compopt -o default ;;
    grad:--at) words='' ;;
    grad:--set) words='' ;;
    grad:--of) words='' ;;
    grad:--weights) words='' ;;
    grad:--memory) words='' ;;
    grad:--schedule) words='' ;;
    grad:--slots) words='' ;;
    grad:--leaf) words='' ;;
    grad:--space) words='' ;;
    grad:--time) words='' ;;
    grad:--split) words='bisection binomial' ;;
    grad:--run) words='' ;;
    grad:--report) compopt -o default; COMPREPLY=(); return ;;
    grad:--keep) words='' ;;
    grad:--out) compopt -o default; COMPREPLY=(); return ;;
    grad:*) words=' --at --set --of --weights --memory --schedule --slots --leaf --space --time --log --split --run --report --json --keep --out --help'; compopt -o default ;;
    check:--at) words='' ;;
    check:--set) words='' ;;
    check:--of) words='' ;;
    check:--weights) words='' ;;
    check:--memory) words='' ;;
    check:--schedule) words='' ;;
    check:--slots) words='' ;;
    check:--leaf) words='' ;;
    check:--space) words='' ;;
    check:--time) words='' ;;
    check:--split) words='bisection binomial' ;;
    check:--run) words='' ;;
    check:--report) compopt -o default; COMPREPLY=(); return ;;
    check:--keep) words='' ;;
    check:--seed) words='' ;;
    check:--cuts) words='' ;;
    check:*) words=' --at --set --of --weights --memory --schedule --slots --leaf --space --time --log --split --run --report --json --keep --seed --cuts --help'; compopt -o default ;;
    plan:--steps) words='' ;;
    plan:--slots) words='' ;;
    plan:--forward) words='' ;;
    plan:--backward) words='' ;;
    plan:--write) words='' ;;
    plan:--read) words='' ;;
    plan:--levels) words='' ;;
    plan:--distance) words='' ;;
    plan:--interval) words='' ;;
    plan:--adjoint-distance) words='' ;;
    plan:--leaf) words='' ;;
    plan:--space) words='' ;;
    plan:--time) words='' ;;
    plan:--split) words='bisection binomial' ;;
    plan:--svg) compopt -o default; COMPREPLY=(); return ;;
    plan:--html) compopt -o default; COMPREPLY=(); return ;;
    plan:--places) words='' ;;
    plan:*) words='store-all every-k none revolve treeverse binary disk periodic levels online mixed resilient continuous single-recovery two-level --steps --slots --forward --backward --write --read --disk --levels --distance --interval --adjoint-distance --leaf --space --time --log --split --json --actions --svg --html --compare --simulate-failures --places --help' ;;
    rev:--output) compopt -o default; COMPREPLY=(); return ;;
    rev:--include) words='' ;;
    rev:--dump) words='desugar analysis inverse lower adjoint tangent hvp' ;;
    rev:*) words=' --output --include --cuda --no-lines --dump --help'; compopt -o default ;;
    vlad:--output) compopt -o default; COMPREPLY=(); return ;;
    vlad:--emit-c) compopt -o default; COMPREPLY=(); return ;;
    vlad:--memory) words='' ;;
    vlad:--schedule) words='' ;;
    vlad:--slots) words='' ;;
    vlad:--leaf) words='' ;;
    vlad:--space) words='' ;;
    vlad:--time) words='' ;;
    vlad:--split) words='bisection binomial' ;;
    vlad:--limit) words='' ;;
    vlad:--run) words='' ;;
    vlad:--seed) words='' ;;
    vlad:--plot) compopt -o default; COMPREPLY=(); return ;;
    vlad:*) words=' --interpret --hybrid --compile --output --emit-c --memory --schedule --slots --leaf --space --time --log --split --limit --run --stats --check --seed --plot --repl --version --help'; compopt -o default ;;
    status:*) words=' --json --help'; compopt -o dirnames ;;
    help:*) words='cc c++ grad check plan rev vlad status version --help' ;;
    version:*) words=' --help' ;;
    :*) words='cc c++ grad check plan rev vlad status help version --help --version' ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _verso verso
