# Runs steps one after another, times them, counts them and tells the end. Knows no step by name:
# scripts/test owns the lists WHOLE and QUICK, the table ABOUT, and a function step_NAME for each.

# A step's exit code that means "could not be run here".
readonly SKIPPED=77

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    GREEN=$'\e[32m' RED=$'\e[31m' YELLOW=$'\e[33m' BOLD=$'\e[1m' PLAIN=$'\e[0m'
else
    GREEN='' RED='' YELLOW='' BOLD='' PLAIN=''
fi

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

# For use in a step: ends it as skipped, with the reason for the summary.
skip() {
    printf '%s\n' "$*" >"$WORK/reason"
    exit $SKIPPED
}

# For use in a step: ends it as failed.
fail() {
    note "$*"
    exit 1
}

# Something the reader should know, whatever the outcome.
note() {
    printf '%s\n' "${YELLOW}note: $*${PLAIN}" >&2
}

in_ci() {
    [ "${CI:-}" = true ]
}

seconds() {
    local tenths=$(($1 / 100000))
    printf '%d.%d s' $((tenths / 10)) $((tenths % 10))
}

now_micros() {
    printf '%s' "${EPOCHREALTIME//[!0-9]/}"
}

list_steps() {
    local name
    for name in "${WHOLE[@]}"; do
        printf '%-10s %s\n' "$name" "${ABOUT[$name]}"
    done
}

# Sets STEPS to what the arguments ask for.
choose_steps() {
    case "${1:-}" in
    '') STEPS=("${WHOLE[@]}") ;;
    quick) STEPS=("${QUICK[@]}") ;;
    *) STEPS=("$@") ;;
    esac
    local name
    for name in "${STEPS[@]}"; do
        if [ -z "${ABOUT[$name]:-}" ]; then
            printf 'there is no step "%s"; the steps are:\n\n' "$name" >&2
            list_steps >&2
            exit 2
        fi
    done
}

PASSED=() FAILED=() SKIPS=()

run_step() {
    local name=$1 start code took
    printf '\n%s\n' "${BOLD}== $name: ${ABOUT[$name]}${PLAIN}"
    rm -f "$WORK/reason"
    start=$(now_micros)
    # Not in a condition: there `set -e` would not hold inside the step.
    set +e
    (
        set -e
        "step_$name"
    )
    code=$?
    set -e
    took=$(seconds $(($(now_micros) - start)))
    case $code in
    0)
        PASSED+=("$name")
        printf '%s\n' "${GREEN}ok${PLAIN} $name ($took)"
        ;;
    "$SKIPPED")
        SKIPS+=("$name: $(cat "$WORK/reason")")
        printf '%s\n' "${YELLOW}skipped${PLAIN} $name ($took)"
        ;;
    *)
        FAILED+=("$name (run again with: scripts/test $name)")
        printf '%s\n' "${RED}failed${PLAIN} $name ($took)"
        ;;
    esac
}

print_names() {
    local title=$1 line
    shift
    for line in "$@"; do
        printf '%s %s\n' "$title" "$line"
    done
}

summary() {
    local took=$1
    printf '\n%s\n' "${BOLD}== summary ($took)${PLAIN}"
    print_names "${RED}failed${PLAIN} " "${FAILED[@]}"
    print_names "${YELLOW}skipped${PLAIN}" "${SKIPS[@]}"
    printf '%d passed, %d failed, %d skipped\n' "${#PASSED[@]}" "${#FAILED[@]}" "${#SKIPS[@]}"
}

run_all() {
    if [ "${1:-}" = --list ]; then
        list_steps
        return
    fi
    choose_steps "$@"
    local name start
    start=$(now_micros)
    for name in "${STEPS[@]}"; do
        run_step "$name"
    done
    summary "$(seconds $(($(now_micros) - start)))"
    if in_ci && [ ${#SKIPS[@]} -gt 0 ]; then
        note "nothing may be skipped when CI=true"
        return 1
    fi
    [ ${#FAILED[@]} -eq 0 ]
}
