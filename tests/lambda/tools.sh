# Sourced by the scripts beside it: where things are, and a pinned cargo-lambda (with the Zig that links for arm64).
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
# shellcheck disable=SC2034 # used by the scripts that source this
functions=(session upload mcp inbox)

say() {
    echo "${0##*/}: $*" >&2
}

# Puts a pinned cargo-lambda first on PATH, installed into the target folder the first time.
bring_cargo_lambda() {
    local tools=$target/lambda-tools pins=$root/tests/lambda/requirements.txt
    if ! cmp -s "$pins" "$tools/stamp"; then
        say "installing cargo-lambda into $tools"
        rm -rf "$tools"
        python3 -m venv "$tools"
        "$tools/bin/pip" install --quiet --disable-pip-version-check --requirement "$pins"
        cp "$pins" "$tools/stamp"
    fi
    export PATH=$tools/bin:$PATH
    cargo lambda --version >&2
}

# The standard library for the functions' processor, where rustup looks after the toolchain.
bring_arm64() {
    local triple=aarch64-unknown-linux-gnu
    if ! rustup target list --installed | grep -qx "$triple"; then
        rustup target add "$triple"
    fi
}
