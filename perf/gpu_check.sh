#!/usr/bin/env bash
# Build, parity, throughput, report, on a machine with a GPU: ten minutes, and not 0 where anything
# is missed. What is expected stands in gpu_expectations.toml; what this needs, in docs/gpu.md.
#
#   perf/gpu_check.sh [--container TAG]      inside the Triton container that will serve
#
# Exits 0: all met. 1: something is missed, the report says what. 2: nothing can be checked here.
set -euo pipefail
cd "$(dirname "$0")/.."

work=${GPU_CHECK_FOLDER:-build/gpu_check}
models=${GPU_CHECK_MODELS:-text_signals vision_encoder}
python=${PYTHON:-python3}
container=${NVIDIA_TRITON_SERVER_VERSION:-}
grpc=${GPU_CHECK_PORT:-18001}
minutes=$(sed -n 's/^minutes = \([0-9]*\).*/\1/p' perf/gpu_expectations.toml)
server_pid=

refuse() { echo "gpu_check: $*" >&2; exit 2; }
missed() { echo "gpu_check: MISSED $*" >&2; exit 1; }
said() { printf 'gpu_check: %3d s  %s\n' "$SECONDS" "$*"; }

while [ $# -gt 0 ]; do
  case $1 in
    --container)
      [ $# -ge 2 ] || refuse "--container needs a tag, such as 25.12"
      container=$2
      shift 2
      ;;
    --help|-h) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) refuse "unknown option $1; see --help" ;;
  esac
done

# What runs may take, in seconds, of the time that is left; at least one.
left() { local rest=$((minutes * 60 - SECONDS)); echo $((rest > 1 ? rest : 1)); }
within() { timeout --kill-after=10 "$(left)" "$@"; }

stop() {
  [ -n "$server_pid" ] || return 0
  kill "$server_pid" 2>/dev/null || true
  for _ in $(seq 50); do kill -0 "$server_pid" 2>/dev/null || return 0; sleep 0.2; done
  kill -9 "$server_pid" 2>/dev/null || true
}
trap stop EXIT

# --- what can be checked here ---------------------------------------------------------------------
command -v "$python" >/dev/null || refuse "no $python here"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
  || refuse "needs Python 3.11 or later, $python is $("$python" -V 2>&1)"
"$python" -c 'import ctypes; ctypes.CDLL("libcuda.so.1")' 2>/dev/null \
  || refuse "no NVIDIA driver here (libcuda.so.1 is not found): nothing can be checked without a GPU"
triton=$(command -v tritonserver || true)
[ -n "$triton" ] || triton=/opt/tritonserver/bin/tritonserver
[ -x "$triton" ] || refuse "no tritonserver here: run this inside the Triton container (docs/gpu.md)"
# Else another server would be measured in the place of the one that is started below.
if (exec 3<>"/dev/tcp/127.0.0.1/$grpc") 2>/dev/null; then
  refuse "port $grpc is taken; name another in GPU_CHECK_PORT"
fi
"$python" -m pip --version >/dev/null 2>&1 || refuse "$python has no pip"

# --- what Python needs, beside the checkout -------------------------------------------------------
mkdir -p "$work"
work=$(cd "$work" && pwd)
rm -f "$work/report.json" # of an earlier run
site=$work/site
export PYTHONPATH=$PWD:$site
if [ ! -e "$site/.installed" ]; then
  said "installing what the builder and the load need"
  rm -rf "$site"
  within "$python" -m pip install --quiet --disable-pip-version-check --target "$site" '.[gpu]' \
    || missed "the packages could not be installed (the registry, or the ten minutes)"
  mkdir -p "$site"
  touch "$site/.installed"
fi
# Triton's images hold TensorRT's libraries without their Python.
imports() { "$python" -c "import $1" 2>/dev/null; }
if ! imports tensorrt && ! imports tensorrt_bindings; then
  release=$("$python" - <<'PY' || true
import ctypes
for major in (11, 10):
    try:
        number = ctypes.CDLL(f"libnvinfer.so.{major}").getInferLibVersion()
    except OSError:
        continue
    print(f"{number // 10000}.{number // 100 % 100}.{number % 100}")
    break
PY
)
  [ -n "$release" ] || refuse "no TensorRT here (libnvinfer is not found)"
  cuda=cu12
  case ${CUDA_VERSION:-} in 13*) cuda=cu13 ;; esac
  said "installing the Python of TensorRT $release"
  within "$python" -m pip install --quiet --disable-pip-version-check --no-deps --target "$site" \
    "tensorrt-$cuda-bindings==$release.*" || missed "no tensorrt-$cuda-bindings $release"
fi

# --- build, and parity of each engine -------------------------------------------------------------
repository=$work/models
rm -rf "$repository"
cp -rL model_repository "$repository"
for model in $models; do
  said "$model: graph, plan, parity"
  within "$python" -m build_engines all "$model" --target tensorrt --build "$work/engines" \
    --repository "$repository" ${container:+--container "$container"} \
    || missed "$model was not built, or differs from its graph"
done

# --- throughput -----------------------------------------------------------------------------------
said "starting $triton"
"$triton" --model-repository="$repository" --model-control-mode=explicit --load-model=text_signals \
  --grpc-address=127.0.0.1 --grpc-port="$grpc" --allow-http=false --allow-metrics=false \
  --exit-timeout-secs=5 >"$work/triton.log" 2>&1 &
server_pid=$!
ready() {
  "$python" - "127.0.0.1:$grpc" <<'PY'
import sys
import tritonclient.grpc as triton
client = triton.InferenceServerClient(sys.argv[1])
sys.exit(not client.is_model_ready("text_signals"))
PY
}
until ready 2>/dev/null; do
  if ! kill -0 "$server_pid" 2>/dev/null; then
    tail -n 20 "$work/triton.log" >&2
    missed "tritonserver ended; its last lines stand above"
  fi
  [ "$(left)" -gt 1 ] || missed "tritonserver was not ready in time; see $work/triton.log"
  sleep 1
done
said "load"
rc=0
within "$python" -m perf.gpu_load --url "127.0.0.1:$grpc" --records "$repository" \
  --output "$work/report.json" || rc=$?

# --- report ---------------------------------------------------------------------------------------
took=$SECONDS
[ "$took" -le $((minutes * 60)) ] || missed "took $took s, wanted $((minutes * 60)) s"
[ "$rc" -eq 0 ] || missed "see above, and $work/report.json"
said "all met; $work/report.json"
