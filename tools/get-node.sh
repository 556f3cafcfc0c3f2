#!/bin/sh
# Puts a Node that runs TypeScript at .tools/bin/node: the machine's Node if it is new enough, else the pinned npm
# package of Node, which any older Node with npm can fetch. Idempotent; prints the source.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
bin=$root/.tools/bin
mkdir -p "$bin"

fail() {
  echo "tools: $1" >&2
  exit 1
}

# Tests that a Node is new enough and starts on this machine.
is_enough() {
  [ -x "$1" ] && "$1" -e '
    const { minimum } = require(process.argv[1]).node
    const [wanted, found] = [minimum, process.versions.node].map((text) => text.split(".").map(Number))
    const differing = wanted.findIndex((part, index) => part !== found[index])
    process.exit(differing === -1 || found[differing] > wanted[differing] ? 0 : 1)
  ' "$root/tools/versions.json" 2>/dev/null
}

if is_enough "$bin/node"; then exit 0; fi

# .tools/bin is left out, so that a broken link there is not mistaken for the machine's Node.
PATH=$(printf %s "$PATH" | tr ':' '\n' | grep -vxF "$bin" | paste -sd: -)
system=$(command -v node || true)
[ -n "$system" ] || fail "this machine has no Node: install any Node with npm (20 or newer), which fetches the right version"

if is_enough "$system"; then
  ln -sfn "$system" "$bin/node"
  echo "tools: using this machine's node $("$bin/node" --version)"
  exit 0
fi

command -v npm >/dev/null || fail "this machine's Node $("$system" --version) is too old to run the project and there is no npm to fetch a newer one"
pinned() {
  "$system" -p "(require('$root/tools/versions.json').node.packages[process.platform + '-' + process.arch] ?? {})['$1'] ?? ''"
}
name=$(pinned name)
[ -n "$name" ] || fail "no Node package is pinned for this platform: install Node $("$system" -p "require('$root/tools/versions.json').node.minimum") or newer"
echo "tools: fetching $name $(pinned version)"
began=$(date +%s)
npm install --prefix "$root/.tools/node" --ignore-scripts --no-save --no-package-lock --no-fund --no-audit --loglevel=error \
  "$name@$(pinned version)" >/dev/null || fail "npm could not fetch $name@$(pinned version)"

# npm has compared the download with the registry's hash. Here that hash is compared with the pinned hash.
found=$("$system" -p "require('$root/.tools/node/node_modules/.package-lock.json').packages['node_modules/$name'].integrity")
[ "$found" = "$(pinned integrity)" ] || {
  rm -rf "$root/.tools/node"
  fail "$name@$(pinned version) has another hash than the pinned one"
}
ln -sfn "../node/node_modules/$name/bin/node" "$bin/node"
is_enough "$bin/node" || fail "the Node of $name does not start on this machine"
echo "tools: node $("$bin/node" --version) from the npm package $name, $(($(date +%s) - began)) s"
