#!/bin/sh
# image.sh TAG FILE [NAME=VALUE ...]: builds an image of this checkout with docker, podman or buildah, whichever works here. The rest
# are build arguments.
set -eu
cd "$(dirname "$0")/../.."
tag=$1
file=$2
shift 2
for argument; do
  shift
  set -- "$@" --build-arg "$argument"
done
if docker info >/dev/null 2>&1; then
  set -- docker build "$@"
elif command -v podman >/dev/null; then
  set -- podman build "$@"
elif command -v buildah >/dev/null; then
  # Needs root, and no runtime for containers, which a machine that is a container itself may forbid.
  set -- buildah build --isolation chroot "$@"
else
  echo 'An image is built with docker, podman or buildah, and none of them works here.' >&2
  exit 1
fi
"$@" --file "$file" --tag "$tag" .
