#!/bin/bash
# Runs the steps of the Dockerfile without a container engine: installs built packages, starts the service as nobody in
# a separate root that is read-only except for /data and /tmp, and checks its health. Requires root on Linux.
#   deploy/try-in-clean-root.sh <folder of packages> <Node binary>
set -euo pipefail
packages=$(realpath "$1")
node=$(realpath "$2")
here=$(dirname "$(realpath "$0")")

if [ "${IN_CLEAN_ROOT:-}" != yes ]; then
  # A separate mount namespace, which disappears with its last process.
  IN_CLEAN_ROOT=yes exec unshare --mount --pid --fork --kill-child "$0" "$packages" "$node"
fi

root=$(mktemp -d)
trap 'umount --lazy "$root" && rmdir "$root"' EXIT
mount -t tmpfs -o mode=755 root "$root"
mkdir -p "$root"/{etc,usr,dev,proc,data,tmp,opt/node/bin}
PATH="$(dirname "$node"):$PATH" "$here/install.sh" "$packages" "$root/opt/bindery"

for name in bin lib lib64 sbin; do ln -s "usr/$name" "$root/$name"; done
mount --rbind -o ro /usr "$root/usr"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
cp /etc/passwd /etc/group /etc/nsswitch.conf "$root/etc/"
cp "$node" "$root/opt/node/bin/node"
mount -t tmpfs -o mode=700,uid=65534,gid=65534 data "$root/data"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
mount -o remount,ro "$root"

inside=(chroot --userspec=65534:65534 "$root" /usr/bin/env -i PATH=/opt/node/bin:/opt/bindery/bin:/usr/bin HOME=/tmp
  XDG_CACHE_HOME=/tmp BINDERY_DATA_DIR=/data BINDERY_PORT=7421)

"${inside[@]}" bindery serve &
service=$!
healthy="fetch('http://127.0.0.1:7421/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"
until "${inside[@]}" node -e "$healthy"; do
  kill -0 "$service" || { echo 'the service ended'; exit 1; }
  sleep 0.2
done
echo 'correct horse battery' |
  "${inside[@]}" bindery admin create-user ada --email ada@example.org --password-stdin
token=$("${inside[@]}" bindery admin create-token ada)
"${inside[@]}" env BINDERY_API_URL=http://127.0.0.1:7421 BINDERY_TOKEN="$token" bindery profile
if "${inside[@]}" touch /opt/bindery/written 2>/dev/null; then echo 'the root can be written'; exit 1; fi
kill -TERM "$service"
wait "$service"
echo 'healthy in a read-only root as nobody, and stopped when asked to'
