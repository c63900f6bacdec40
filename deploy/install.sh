#!/bin/sh
# Installs packages built by `npm run packages` into a prefix. The program is <prefix>/bin/bindery.
# Used by the Dockerfile, and manually or by tests if there is no container engine.
#   deploy/install.sh <folder of packages> <prefix>
set -eu
packages=$(realpath "$1")
prefix=$2
here=$(dirname "$0")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for package in "$packages"/*/; do
  npm pack --silent --ignore-scripts --pack-destination "$work" "$package" >/dev/null
done
# The model runtime, in the version tested in the clone. Its install script, which is skipped, would fetch CUDA.
runtime=$(node -p "require('$packages/encoder/package.json').peerDependencies['onnxruntime-node']")
mkdir -p "$prefix/bin"
echo '{ "private": true }' >"$prefix/package.json"
npm install --prefix "$prefix" --ignore-scripts --no-audit --no-fund --loglevel=error \
  "$work"/*.tgz "onnxruntime-node@$runtime"
ln -sf ../node_modules/.bin/bindery "$prefix/bin/bindery"
# Most of its size is binaries for other platforms.
models=$prefix/node_modules/onnxruntime-node/bin/napi-v6
if [ -d "$models" ]; then
  for platform in "$models"/*; do
    [ "$(basename "$platform")" = linux ] || rm -rf "$platform"
  done
fi
node "$here/../scripts/third-party-licenses.ts" "$prefix/package.json" "$prefix/THIRD-PARTY-LICENSES"
