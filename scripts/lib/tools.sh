# Where the tools of the steps come from: the machine, or an own folder under target/, filled at
# the first use. Nothing is installed outside that folder, except the packages strace and
# postgresql.

TARGET=$(realpath -m "${CARGO_TARGET_DIR:-target}")
readonly TARGET
readonly TOOLS=$TARGET/tools

# Built from source, without what a book of ours does not use, and unoptimised: under a minute on
# two cores, against nearly two for a release build.
readonly MDBOOK_VERSION=0.5.4
readonly NEXTEST_VERSION=0.9.143

install_tool() {
    note "installing $1 $2 into $TOOLS (once)"
    CARGO_PROFILE_DEV_DEBUG=0 cargo install "$1" --version "$2" --locked --root "$TOOLS" "${@:3}" >&2
}

find_mdbook() {
    local found
    for found in mdbook "$TOOLS/bin/mdbook"; do
        if [ "$("$found" --version 2>/dev/null)" = "mdbook v$MDBOOK_VERSION" ]; then
            printf '%s' "$found"
            return
        fi
    done
    install_tool mdbook "$MDBOOK_VERSION" --debug --no-default-features || return 1
    printf '%s' "$TOOLS/bin/mdbook"
}

# Any version will do: the configuration names the oldest that understands it.
has_nextest() {
    PATH=$PATH:$TOOLS/bin
    cargo nextest --version >/dev/null 2>&1 && return
    install_tool cargo-nextest "$NEXTEST_VERSION"
}

# A package of the system, which only root can install.
has_strace() {
    command -v strace >/dev/null && return
    note "installing the package strace"
    { apt-get update -q && apt-get install -qy --no-install-recommends strace; } >&2
}

# The same.
has_postgres() {
    scripts/servers/postgres here && return
    note "installing the package postgresql"
    { apt-get update -q && apt-get install -qy --no-install-recommends postgresql; } >&2
}

# A new folder for a server, which another user may reach.
server_folder() {
    local place=/tmp folder
    # A gigabyte is more than the tests of any server write.
    [ "$(df --output=avail -k /dev/shm 2>/dev/null | tail -1)" -gt 1048576 ] 2>/dev/null && place=/dev/shm
    folder=$(mktemp -d "$place/jobs-server-XXXXXX")
    chmod 711 "$folder"
    printf '%s' "$folder"
}

nextest_profile() {
    if in_ci; then printf ci; else printf default; fi
}
