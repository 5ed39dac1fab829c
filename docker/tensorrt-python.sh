#!/bin/sh
# Install the Python of the TensorRT whose libraries the image holds. Usage: tensorrt-python.sh FOLDER
# The version is read off the library's file name, so that no GPU is needed: libnvinfer.so.10.14.1.
set -eu
folder=$1
python3 -c 'import tensorrt' 2>/dev/null && exit 0
library=$(ldconfig -p | sed -n 's/.*libnvinfer\.so\.[0-9]* .*=> //p' | head -n 1)
[ -n "$library" ] || { echo "no TensorRT here: libnvinfer is not found" >&2; exit 1; }
release=$(basename "$(readlink -f "$library")" | sed 's/^libnvinfer\.so\.//')
case ${CUDA_VERSION:-} in
  12*) cuda=cu12 ;;
  13*) cuda=cu13 ;;
  *) echo "CUDA_VERSION is '${CUDA_VERSION:-}': expected 12 or 13, as Triton's images set it" >&2; exit 1 ;;
esac
echo "installing the Python of TensorRT $release, $cuda"
python3 -m pip install --no-deps --target "$folder" "tensorrt-$cuda-bindings==$release.*"
