#!/bin/sh
# Installs packages built by `npm run packages` into a prefix, with everything that they depend on in the versions that
# the tests ran with. The program is <prefix>/bin/bindery.
# Used by the Dockerfile, and manually or by tests if there is no container engine.
#   deploy/install.sh <folder of packages> <prefix>
set -eu
if ! node -e 'const [major, minor] = process.versions.node.split("."); process.exit(major > 22 || (major == 22 && minor >= 18) ? 0 : 1)'; then
  echo "Bindery needs Node.js 22.18 or newer, and $(command -v node || echo node) is $(node --version || echo missing)." >&2
  exit 1
fi
packages=$(realpath "$1")
prefix=$2
here=$(dirname "$0")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for package in "$packages"/*/; do
  npm pack --silent --ignore-scripts --pack-destination "$work" "$package" >/dev/null
done
mkdir -p "$prefix/bin"
# With the model runtime, whose install script, which is skipped, would fetch CUDA.
node "$here/../scripts/packages/lock-installation.ts" "$packages" "$work" "$prefix" onnxruntime-node
npm ci --prefix "$prefix" --ignore-scripts --no-audit --no-fund --loglevel=error
ln -sf ../node_modules/.bin/bindery "$prefix/bin/bindery"
# Most of its size is binaries for other platforms.
models=$prefix/node_modules/onnxruntime-node/bin/napi-v6
if [ -d "$models" ]; then
  for platform in "$models"/*; do
    [ "$(basename "$platform")" = linux ] || rm -rf "$platform"
  done
fi
node "$here/../scripts/third-party-licenses.ts" "$prefix" "$prefix/THIRD-PARTY-LICENSES"
