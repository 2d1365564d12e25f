# Mounts of our own: the root's file system is read-only but for the folder of results, that of temporary
# files, which is in memory, and a copy of the devices that tests open. Other file systems stay as they
# are. A mutant that no longer refuses to replace a
# device would else replace /dev/full for everyone.
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
mount -t tmpfs -o mode=755 devices /dev
mknod -m 666 /dev/null c 1 3
mknod -m 666 /dev/zero c 1 5
mknod -m 666 /dev/full c 1 7
mknod -m 666 /dev/random c 1 8
mknod -m 666 /dev/urandom c 1 9
ln -s /proc/self/fd /dev/fd
mount -o remount,bind,ro /
mount -t tmpfs -o size=4g,mode=1777 temporary "$2"
echo ready
# Until the runner closes its end.
read -r _ || true
