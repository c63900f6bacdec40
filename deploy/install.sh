#!/bin/sh
# Installs built packages (npm run packages) into a prefix: the program at <prefix>/bin/bindery.
# Used by the Dockerfile, and by hand or by test where there is no container engine.
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
# The runtime of models as the clone has it tested; its install script would fetch libraries for CUDA.
runtime=$(node -p "require('$packages/encoder/package.json').peerDependencies['onnxruntime-node']")
mkdir -p "$prefix/bin"
echo '{ "private": true }' >"$prefix/package.json"
npm install --prefix "$prefix" --ignore-scripts --no-audit --no-fund --loglevel=error \
  "$work"/*.tgz "onnxruntime-node@$runtime"
ln -sf ../node_modules/.bin/bindery "$prefix/bin/bindery"
# Binaries of other platforms are most of its size.
models=$prefix/node_modules/onnxruntime-node/bin/napi-v6
if [ -d "$models" ]; then
  for platform in "$models"/*; do
    [ "$(basename "$platform")" = linux ] || rm -rf "$platform"
  done
fi
node "$here/../scripts/third-party-licenses.ts" "$prefix/package.json" "$prefix/THIRD-PARTY-LICENSES"
