# Allclear's commands. `./just --list` lists them.

set shell := ["sh", "-eu", "-c"]
set positional-arguments

# The commands below name files in it.
export CARGO_TARGET_DIR := justfile_directory() / "target"

web := "apps/web"
# Folder of tools that are not part of a toolchain.
tools := justfile_directory() / ".just"

# Lists the commands.
default:
    @{{ just_executable() }} --list --unsorted

# Builds the web app and the server, and starts them.
run *arguments: _web
    cargo build --quiet --locked --bin allclear
    exec target/debug/allclear "$@"

# Starts a server with example data in a temporary folder.
demo: (run "demo")

# Runs all tests: Rust, the web app's units, the product in a browser.
test: _test-tools _web
    # Tests of servers and databases mostly wait, so two run on each processor.
    RUST_TEST_THREADS=${RUST_TEST_THREADS:-$((2 * $(getconf _NPROCESSORS_ONLN)))} .ci/with-servers cargo test --locked --workspace
    npm --prefix {{ web }} test
    # The Rust tests have built the server, too.
    .ci/verify-systemd-unit
    node --test crates/server/tests/socket/*.test.mjs
    # The first of these two mostly waits, so they run side by side. The Rust tests have built its server, with the dependencies that all use.
    CONFORMANCE_BINARY=$PWD/target/debug/examples/conformance node crates/socketio/conformance/run.mjs & conformance=$!; \
    failed=0; .ci/consumers target/debug/allclear || failed=1; wait $conformance || failed=1; exit $failed
    if .ci/browser >/dev/null; then CHROMIUM=$(.ci/browser) .ci/with-servers npm --prefix {{ web }} run e2e; fi

# Checks formats, lints, types, dependencies between crates, and generated files.
[parallel]
check: _check-rust _check-dependencies _check-web

_check-rust:
    cargo fmt --all --check
    cargo clippy --locked --workspace --all-targets --all-features -- -D warnings
    # With examples, of which there are none, the dependencies have the features of clippy and are not checked again.
    RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --workspace --no-deps --document-private-items --all-features --lib --bins --examples

_check-dependencies: _deny
    PATH="{{ tools }}/cargo/bin:$PATH" cargo deny --locked check bans licenses sources
    # An unreachable advisory database is only reported; a known advisory without an exception is a failure.
    PATH="{{ tools }}/cargo/bin:$PATH" .ci/audit || [ $? = 3 ]

# A test of the server compares docs/openapi.json with the code.
_check-web: _web-dependencies
    npm --prefix {{ web }} run format:check
    npm --prefix {{ web }} run lint
    npm --prefix {{ web }} run typecheck
    npm --prefix {{ web }} run --silent types -- ../../docs/openapi.json >/dev/null
    git diff --exit-code -- {{ web }}/src/api/schema.gen.ts

# Checks every package in the lock files against the advisory databases of RustSec and npm.
audit: _deny
    PATH="{{ tools }}/cargo/bin:$PATH" .ci/audit

# Sends thousands of valid and invalid requests to the API (Schemathesis).
fuzz-api *arguments: _web
    cargo build --quiet --locked --bin allclear
    .ci/schemathesis target/debug/allclear "$@"

# Runs the benches and their peers and writes docs/benchmarks.md; with names, only those: page, events, fanout, writes, …
bench *names: _test-tools _wrk _lighthouse build
    CHROME_PATH=$(.ci/browser) node crates/bench-support/run.mjs {{ names }}

# Generates the OpenAPI document, and from it the web app's types.
generate: _web-dependencies
    cargo run --quiet --locked --bin allclear -- openapi > docs/openapi.json.new
    mv docs/openapi.json.new docs/openapi.json
    npm --prefix {{ web }} run --silent types -- ../../docs/openapi.json >/dev/null

# Stores the schema and example data of a release, for the tests of later releases.
keep-schema VERSION: _test-tools build
    .ci/with-servers node migrations/schemas/keep.mjs {{ VERSION }} target/release/allclear

# Formats everything.
format: _web-dependencies
    cargo fmt --all
    npm --prefix {{ web }} run format

# Takes screenshots of the demo for docs/screenshots.
screenshots: _test-tools _web _picture-tools
    cargo build --quiet --locked --bin allclear
    CHROMIUM=$(.ci/browser) npm --prefix {{ web }} run --silent screenshots
    # The binary contains some of them. With 256 colours, and as WebP, they take a quarter of the bytes.
    pngquant --speed 3 --force --ext .png 256 docs/screenshots/*.png
    for picture in docs/screenshots/*.png; do \
        cwebp -quiet -lossless -z 9 "$picture" -o "${picture%.png}.webp"; rm "$picture"; \
    done

# Builds target/release/allclear, which contains the web app.
build: _web
    cargo build --locked --release --bin allclear

# Installs the web app's packages when the lock file is newer than what is installed.
_web-dependencies:
    if [ ! -e {{ web }}/node_modules/.package-lock.json ] || [ {{ web }}/package-lock.json -nt {{ web }}/node_modules/.package-lock.json ]; then \
        npm --prefix {{ web }} ci --no-fund --no-audit --loglevel=error; \
        touch {{ web }}/node_modules/.package-lock.json; \
    fi

# Builds the web app when a source is newer than the build.
_web: _web-dependencies
    cd {{ web }}; \
    if [ ! -e dist/index.html ] || [ -n "$(find src public build content *.html *.ts package-lock.json ../../docs/*.* ../../docs/decisions ../../docs/screenshots -newer dist/index.html -print -quit)" ]; then \
        npm run --silent build -- --logLevel warn; \
        touch dist/index.html; \
    fi

# Installs missing tools of the tests, on Debian as root.
_test-tools:
    .ci/install-test-tools

# Installs cargo-deny if it is missing, without optimisation and debug information: building it takes longer than its checks.
_deny:
    if ! PATH="{{ tools }}/cargo/bin:$PATH" command -v cargo-deny >/dev/null; then \
        CARGO_PROFILE_DEV_DEBUG=false cargo install --quiet --locked --debug --root "{{ tools }}/cargo" --target-dir target/tools cargo-deny@0.20.2; \
    fi

# Installs Lighthouse if it is missing.
_lighthouse:
    if [ ! -e "{{ tools }}/lighthouse/node_modules/lighthouse" ]; then \
        npm install --silent --no-save --no-fund --no-audit --prefix "{{ tools }}/lighthouse" lighthouse@12.8.2; \
    fi

# Installs the benches' HTTP client if possible; without it the bench of the page is skipped.
_wrk:
    if ! command -v wrk >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
        apt-get update -qq; apt-get install -qq -y --no-install-recommends wrk curl >/dev/null; \
    fi

# Installs the tools that make pictures small, on Debian as root.
_picture-tools:
    if ! { command -v pngquant && command -v cwebp; } >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
        apt-get update -qq; apt-get install -qq -y --no-install-recommends pngquant webp >/dev/null; \
    fi
    for tool in pngquant cwebp; do command -v $tool >/dev/null || { echo "$tool is missing" >&2; exit 1; }; done
