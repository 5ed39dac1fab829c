#!/usr/bin/env bash
# Fill /models with the repository and its engines, once. Later starts only look whether the engines
# are those of this image, this TensorRT and this GPU; if not, they are built again.
#   TSR_ENGINES   models with engines, separated by spaces (default: text_signals)
#   TSR_MODELS    the volume (default: /models)
set -euo pipefail
cd "$(dirname "$0")"
read -ra engines <<<"${TSR_ENGINES:-text_signals}"
volume=${TSR_MODELS:-/models}
repository=$volume/repository
python=${PYTHON:-python3}

# Of the committed repository, links followed: another image brings other files.
digest=$(cd model_repository && find -L . -type f ! -name '*.pyc' -print0 | sort -z \
  | xargs -0 sha256sum | sha256sum | cut -d' ' -f1)

fits() {
  [ "$(cat "$volume/source.sha256" 2>/dev/null)" = "$digest" ] || return 1
  local model
  for model in "${engines[@]}"; do
    "$python" -m build_engines publish "$model" --target tensorrt --check \
      --repository "$repository" || return 1
  done
}

if fits; then
  echo "engines: nothing to build"
  exit 0
fi
# Beside what is there, which stays until all is built: a name that is mistyped costs no engine.
draft=$volume/repository.new
rm -rf "$draft"
cp -rL model_repository "$draft"
for model in "${engines[@]}"; do
  echo "engines: building $model, some minutes"
  # build/ stays: its timings make the next build short.
  "$python" -m build_engines all "$model" --target tensorrt --build "$volume/build" \
    --repository "$draft"
done
rm -rf "$volume/source.sha256" "$repository"
mv "$draft" "$repository"
echo "$digest" >"$volume/source.sha256"
echo "engines: built ${engines[*]}"
